package explore

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"time"
)

// A Form writes values as texts that are equal exactly if the values go on alike. Every
// field that is reached from a value is written as it is, but for those that a Rule names:
// a field that nobody thought of can make a search longer, it cannot hide a state.
type Form struct {
	Limit [2]int64 // instants of a side that are later are all the same; of a State as its clock counts, or MaxInt64
	Apart [2]bool  // the numbers of a side and what the other has of them have nothing to do with each other any more

	rules   map[string]*Rule
	used    map[string]bool // rules that some field or type fell under
	lines   map[string]string
	known   map[encodes]encode
	ptrs    map[uintptr]uint64
	types   map[reflect.Type]uint64
	explain func(at string, text []byte) // told of each field; usually nil
	buf     []byte
	other   []byte // of Same
	ids     []place
	now     time.Time
	origin  time.Time
	zero    time.Time // what instants count from
	scope   uint64
	side    uint8
}

// A Rule says how a type or a field of a struct is written.
type Rule struct {
	At   string                          // what it is about: package.Type or package.Type.field, without type arguments
	As   As                              // how it is written
	If   string                          // only where this other field of the struct is not zero
	Live func(parent reflect.Value) bool // only where the struct is so
	Key  As                              // how the keys of a table are written; of As Scope nothing
	By   string                          // of Scope: the field that is the number of the scope
	Most time.Duration                   // of Since: longer ago is all the same
	Call func(f *Form, v reflect.Value)  // of Custom
	Why  string                          // why it may be so; of Skip and Present never empty
}

// As is a way to write a value.
type As uint8

// The ways. Those from Own on are of numbers that ascend and say nothing but which one
// comes first: they are written by rank among all of their kind, of one side and scope.
const (
	Plain   As = iota // as it is
	Skip              // not at all
	Present           // whether it is nil or empty
	Shared            // a pointer that stands for what it points to, by order of appearance
	Until             // an instant, as what is left until then
	Since             // an instant, as what is left until then or how long ago it was
	Client            // a State of a client, whose own numbers are those of side 0
	Server            // a State of a server, whose own numbers are those of side 1
	Scope             // numbers within it have nothing to do with others; By names the field that tells it
	Origin            // a pointer to what instants count from here on, in its field By; or a struct with a clock.Clock in By
	Custom            // by Call
	Own               // a wire id or the number of a request of this side
	Peer              // one of the other side
	Ours              // progress of a request of this side
	Theirs            // progress of a request of the other side
	Call              // the number of a Call
	Epoch             // the number of a link, whatever the scope
	Op                // the number of an operation, whatever the scope
	Order             // a number that only says which comes first, whatever the scope
)

type encode func(f *Form, v reflect.Value)

type encodes struct {
	t reflect.Type
	r *Rule
}

// place is where the rank of a number belongs.
type place struct {
	space, n uint64
	at       int
}

// NewForm returns a Form by the rules. Instants that are numbers count from zero.
func NewForm(zero time.Time, rules ...[]Rule) *Form {
	f := &Form{
		rules: map[string]*Rule{}, used: map[string]bool{}, lines: map[string]string{}, known: map[encodes]encode{},
		ptrs: map[uintptr]uint64{}, types: map[reflect.Type]uint64{}, origin: zero,
		Limit: [2]int64{math.MaxInt64, math.MaxInt64},
	}
	for _, r := range slices.Concat(rules...) {
		if f.rules[r.At] != nil || (r.As == Skip || r.As == Present) && r.Why == "" {
			panic("explore: a second rule, or one without a reason, for " + r.At)
		}
		f.rules[r.At] = &r
	}
	return f
}

// Append appends what the values that pointers point to are at now. The text holds until the next call.
func (f *Form) Append(now time.Time, pointers ...any) []byte {
	f.buf, f.ids, f.now = f.buf[:0], f.ids[:0], now
	for _, p := range pointers {
		f.zero, f.scope, f.side = f.origin, 0, 0
		v := reflect.ValueOf(p).Elem()
		f.encoder(v.Type(), nil)(f, v)
	}
	slices.SortFunc(f.ids, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.space, b.space), cmp.Compare(a.n, b.n))
	})
	rank := byte(0)
	for i, p := range f.ids {
		switch {
		case i == 0 || p.space != f.ids[i-1].space:
			rank = 1
		case p.n != f.ids[i-1].n:
			rank++
		}
		f.buf[p.at] = rank
	}
	return f.buf
}

// Same reports whether what two pointers point to goes on alike, each from a time on.
func (f *Form) Same(from time.Time, a any, then time.Time, b any) bool {
	f.other = append(f.other[:0], f.Append(from, a)...)
	return string(f.other) == string(f.Append(then, b))
}

// Difference names the innermost field in which what two pointers point to differs, "" if none.
func (f *Form) Difference(now time.Time, a, b any) string {
	type field struct{ at, text string }
	var list []field
	f.explain = func(at string, text []byte) { list = append(list, field{at, string(text)}) }
	f.Append(now, a)
	first := list
	list = nil
	f.Append(now, b)
	f.explain = nil
	for i := range first {
		if i >= len(list) || first[i] != list[i] {
			return first[i].at
		}
	}
	return ""
}

// Fields returns what is written and how, a line each, and the rules that nothing fell under.
func (f *Form) Fields() (lines, unused []string) {
	for at, how := range f.lines { // in any order: sorted below
		lines = append(lines, at+" "+how)
	}
	for at := range f.rules {
		if !f.used[at] {
			unused = append(unused, at)
		}
	}
	slices.Sort(lines)
	slices.Sort(unused)
	return lines, unused
}

// String says what a rule does.
func (r *Rule) String() string {
	s := [...]string{"plain", "skip", "present", "shared", "until", "since", "client", "server", "scope", "origin", "custom", "own", "peer", "ours", "theirs", "call", "epoch", "op", "order"}[r.As]
	if r.Key != Plain {
		s += " by " + (&Rule{As: r.Key}).String()
	}
	if r.If != "" {
		s += " if " + r.If
	}
	if r.Why != "" {
		s += ": " + r.Why
	}
	return s
}
