package kinds_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

var info = protocol.Implementation{Name: "tested", Version: "1"}

var (
	timeType  = reflect.TypeFor[time.Time]()
	errorType = reflect.TypeFor[error]()
)

// thing is a machine in use, followed by the values that its verbs accept and return with
// it, such as a server.State.
type thing []any

// machine is a row of the table.
type machine struct {
	name string
	now  time.Time // the latest time of of
	of   thing
	// verbs are the arguments of each verb with a time, without the time and the values beside the
	// machine. A verb with several cases occurs several times, with its name,
	// a space, and the case.
	verbs map[string][]any
	// from is the start of a verb that does not fit of.
	from map[string]thing
	// back says that an earlier time counts as it is: the machine has no deadlines, and its
	// driver has one clock. The zero time counts as the last one.
	back bool
	// idle are verbs that leave the machine and its time unchanged if there is nothing to do.
	idle []string
	// two are verbs of two steps.
	two []string
	// origin are verbs that restart a machine, whose times count from their own time.
	origin []string
	// tick lets time pass: own for the machine, and beside for the values beside it.
	tick func(v thing, own, beside time.Time) thing
}

// args are arguments.
func args(list ...any) []any { return list }

// minute is the settings of a request whose deadline shows the time.
var minute = client.RequestOptions{Timeout: time.Minute}

// verbsOf returns the names of the methods that take a time.
func verbsOf(v any) (names []string) {
	t := reflect.TypeOf(v)
	for i := range t.NumMethod() {
		f := t.Method(i).Type
		for j := 1; j < f.NumIn(); j++ {
			if f.In(j) == timeType {
				names = append(names, t.Method(i).Name)
				break
			}
		}
	}
	return names
}

// list returns the verbs with a time, including their cases.
func (m *machine) list() (names []string) {
	for _, verb := range verbsOf(m.of[0]) {
		n := len(names)
		for key := range m.verbs {
			if strings.HasPrefix(key, verb+" ") {
				names = append(names, key)
			}
		}
		if slices.Sort(names[n:]); n == len(names) {
			names = append(names, verb)
		}
	}
	return names
}

// call calls a method of a thing. Results that belong to the thing are in next, the others in out.
func call(v thing, name string, now time.Time, with []any) (next thing, out []any, err error) {
	verb, _, _ := strings.Cut(name, " ")
	f := reflect.ValueOf(v[0]).MethodByName(verb)
	t := f.Type()
	next = slices.Clone(v)
	var in []reflect.Value
	timed := false
	for i := range t.NumIn() {
		p := t.In(i)
		at := slices.IndexFunc(v[1:], func(o any) bool { return reflect.TypeOf(o) == p })
		switch {
		case p == timeType && !timed:
			timed = true
			in = append(in, reflect.ValueOf(now))
		case at >= 0:
			in = append(in, reflect.ValueOf(v[1+at]))
		case t.IsVariadic() && i == t.NumIn()-1:
			for _, a := range with {
				in = append(in, reflect.ValueOf(a))
			}
			with = nil
		case len(with) == 0:
			return nil, nil, fmt.Errorf("%s: no argument for a %v", name, p)
		default:
			a := reflect.Zero(p)
			if with[0] != nil {
				a = reflect.ValueOf(with[0])
			}
			in, with = append(in, a), with[1:]
		}
	}
	for _, r := range f.Call(in) {
		at := slices.IndexFunc(v, func(o any) bool { return reflect.TypeOf(o) == r.Type() })
		switch {
		case at >= 0:
			next[at] = r.Interface()
		case r.Type() == errorType:
			err, _ = r.Interface().(error)
		default:
			out = append(out, r.Interface())
		}
	}
	return next, out, err
}

// begin returns the start of a verb.
func (m *machine) begin(verb string) thing {
	if v, ok := m.from[verb]; ok {
		return v
	}
	return m.of
}

// dues returns the deadlines of a thing.
func dues(v thing) (list []string) {
	for _, o := range v {
		if d, ok := o.(interface{ NextDeadline() (time.Time, bool) }); ok {
			at, some := d.NextDeadline()
			list = append(list, fmt.Sprint(at, some))
		}
	}
	return list
}

// check checks a thing, if its machines have a Check.
func check(v thing) error {
	for _, o := range v {
		if c, ok := o.(interface{ Check() error }); ok {
			if err := c.Check(); err != nil {
				return err
			}
		}
	}
	return nil
}

// must returns v, or panics.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// each runs a test of each machine.
func each(t *testing.T, test func(t *testing.T, m machine)) {
	for _, make := range []func(t testing.TB) machine{
		serverRow, clientRow, pagerRow, rootsRow, streamsRow, exchangeRow, waitingRow, orderRow, execRow, managerRow, catalogRow, callerRow, relayRow,
	} {
		m := make(t)
		t.Run(m.name, func(t *testing.T) { test(t, m) })
	}
}

// unavailable is a failure that is retried.
func unavailable() *toolerror.Error {
	return &toolerror.Error{Kind: toolerror.Unavailable, Text: "busy"}
}
