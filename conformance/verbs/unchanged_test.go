package verbs_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// must returns what is there without an error.
func must[M any](m M, err error) M {
	if err != nil {
		panic(err)
	}
	return m
}

// pool are the arguments of a verb by their types, beside the zero value.
func pool(list ...any) map[reflect.Type][]reflect.Value {
	all := map[reflect.Type][]reflect.Value{}
	for _, x := range list {
		v := reflect.ValueOf(x)
		all[v.Type()] = append(all[v.Type()], v)
	}
	return all
}

// A verb that fails returns each machine as it was given, whatever its arguments are: who goes on with what it returns
// loses nothing.
func TestFailedVerbsChangeNothing(t *testing.T) {
	now := time.Unix(1, 0)
	info := protocol.Implementation{Name: "x", Version: "1"}
	cfg := client.Config{Info: info, Roots: []protocol.Root{{URI: "file:///a"}}}
	served := must(server.New(server.Config{Info: info}, now))
	asks := must(client.New(cfg, now))
	begun, _, err := asks.Initialize(now)
	m := must(manager.New(manager.Config{Client: cfg}, now))
	if err == nil {
		m, _, err = m.Connect(now, "a", manager.Options{})
	}
	c := must(catalog.New(catalog.Config{Sources: []catalog.Source{{Name: "a"}}, Local: []protocol.Tool{{Name: "l", InputSchema: `{"type":"object"}`}}}, now))
	r := must(relay.New(relay.Config{Info: info}, []relay.Server{{Name: "a"}}, now))
	full := must(attempt.New(attempt.Config{Running: 1, Queue: 1}, now))
	for range 2 {
		if err == nil {
			full, _, err = full.Call(now, attempt.Request{Tool: "t"})
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	closed, _, _ := c.Close(m, now)
	caller := must(calls.New(calls.Config{Manager: manager.Config{Client: cfg}, Catalog: catalog.Config{Sources: []catalog.Source{{Name: "a"}}}}, now))
	ended, _ := caller.Close(now)
	times := map[string]int{} // that each verb failed
	args := pool(now, m, served, "a", "nobody", "tools/list", []string{"nobody"}, catalog.Source{Name: "a"}, catalog.Source{Name: "b", TTL: -7},
		[]catalog.Source{{}}, []catalog.Source{{Name: "a"}, {Name: "a"}}, []protocol.Tool{{}}, []relay.Server{{}}, []relay.Server{{Name: "a"}, {Name: "a"}},
		manager.Options{Meta: "{"}, manager.Budget{Pages: -1}, protocol.Raw("["), client.RequestOptions{Timeout: -7}, manager.RequestOptions{Timeout: -7},
		attempt.BatchOptions{Strategy: -7}, []attempt.Request{{Tool: "t"}}, []protocol.Root{{}}, new(server.Catalog))
	for name, machine := range map[string]any{
		"server": served, "client": asks, "client that has begun": begun, "manager": m, "catalog": c, "closed catalog": closed, "relay": r,
		"streams": streams.New(streams.Options{}), "streams without GET": streams.New(streams.Options{MaxListeners: -1}), "attempt": full,
		"calls": caller, "closed calls": ended,
		"zero server": server.State{}, "zero client": client.State{}, "zero manager": manager.Manager{}, "zero relay": relay.Relay{},
	} {
		for i := range reflect.TypeOf(machine).NumMethod() {
			method := reflect.TypeOf(machine).Method(i)
			if failed := tryVerb(t, name, machine, method, args); failed >= 0 {
				times[reflect.TypeOf(machine).String()+"."+method.Name] += failed
			}
		}
	}
	for verb, n := range times {
		if n == 0 {
			t.Errorf("%s never fails", verb)
		}
	}
}

var errorType = reflect.TypeFor[error]()

// tryVerb calls a method with all arguments of the pool, and returns how often it failed; -1 if it is no verb.
func tryVerb(t *testing.T, name string, machine any, method reflect.Method, args map[reflect.Type][]reflect.Value) (failed int) {
	typ := method.Type
	switch method.Name {
	case "NewSession", "RestoreSession": // make another machine
		return -1
	case "Answered": // an error beside what it has done
		return -1
	}
	if n := typ.NumOut(); n < 2 || typ.Out(n-1) != errorType || typ.Out(0) != typ.In(0) {
		return -1
	}
	lists := [][]reflect.Value{{reflect.ValueOf(machine)}}
	for i := 1; i < typ.NumIn(); i++ {
		in := typ.In(i)
		values := args[in]
		switch {
		case in.Kind() == reflect.Func:
			return -1 // it runs a verb of another machine
		case in != reflect.TypeFor[time.Time]() && in != reflect.TypeFor[manager.Manager]() && in != reflect.TypeFor[server.State]():
			values = append([]reflect.Value{reflect.Zero(in)}, values...)
		}
		var longer [][]reflect.Value
		for _, list := range lists {
			for _, v := range values {
				longer = append(longer, append(list[:len(list):len(list)], v))
			}
		}
		lists = longer
	}
	for _, in := range lists {
		call := method.Func.Call
		if typ.IsVariadic() {
			call = method.Func.CallSlice
		}
		out := call(in)
		if out[len(out)-1].IsNil() {
			continue
		}
		failed++
		for _, result := range out {
			for _, given := range in {
				if !same(result, given) {
					t.Errorf("%s: %s%v returns another %v with %v", name, method.Name, in[1:], given.Type(), out[len(out)-1])
				}
			}
		}
	}
	return failed
}

// same reports whether a result that is a machine is the one that was given.
func same(result, given reflect.Value) bool {
	switch given.Interface().(type) {
	case manager.Manager, server.State, client.State, catalog.Catalog, relay.Relay, calls.Caller, attempt.Executor, streams.Streams:
	default:
		return true
	}
	if result.Type() != given.Type() {
		return true
	}
	if given.Comparable() {
		return result.Equal(given)
	}
	return reflect.DeepEqual(result.Interface(), given.Interface())
}
