package kinds_test

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// fullServer is a session of a client with capabilities.
func fullServer(t *testing.T) server.State {
	x, _, _ := used(verbs.NewServer(t, serverConfig()), `{"roots":{}}`)
	return x.Server()
}

// fullClient is a session with a subscription.
func fullClient(t *testing.T) client.State {
	x, _, _ := used(verbs.NewClient(t, clientConfig()), `{"tools":{},"resources":{"subscribe":true}}`)
	s, out, err := x.Client().Request(x.Now, protocol.SubscribeParams{URI: "x:1"}, client.RequestOptions{})
	must(s, err)
	s, _ = s.Receive(x.Now, answered(out.Send[0].Message))
	return s
}

// answered is an empty answer to a request.
func answered(m jsonrpc.Message) jsonrpc.Message {
	return jsonrpc.Message{Kind: jsonrpc.KindResult, ID: m.ID, Body: `{}`}
}

// fullStreams has a stream whose client has disconnected.
func fullStreams() (streams.Streams, server.State) {
	x, s, _, left, _, now := streamsUsed()
	x, s, _ = x.Detach(s, now, left)
	return x, s
}

// fullManager has a subscription, a closing link, and a late report of an ended one.
func fullManager(t *testing.T) manager.Manager {
	now := verbs.Epoch
	m, slow, _, _, _ := managed(now)
	m, out, err := m.Request(now, "a", protocol.SubscribeParams{URI: "x:1"}, manager.RequestOptions{})
	must(m, err)
	m, _ = m.Report(now, manager.Report{Kind: manager.Received, Link: out.Actions[0].Link, Message: answered(out.Actions[0].Out.Message)})
	m, _ = m.Disconnect(now, slow.Server)
	m, _ = m.Report(now, manager.Report{Kind: manager.Ended, Link: manager.Link{Server: "gone", Epoch: 99}})
	return m
}

// quiet are observers whose result in use is zero: they cannot be compared.
var quiet = []string{
	"catalog.Catalog Closed",     // a closed one is not restored
	"relay.Relay Resting",        // a resting Relay has no links to restore
	"relay.Relay Tool",           // names are assigned when a list is requested
	"server.State Listens",       // of clients without a session
	"server.State Subscriptions", // the state of use has no resources
}

// observations are the results of a machine's methods without arguments, or with only
// names as arguments.
func observations(v any) (names []string, all map[string]any) {
	all = map[string]any{}
	r := reflect.ValueOf(v)
	for i := range r.NumMethod() {
		name, f := r.Type().Method(i).Name, r.Method(i)
		named := f.Type().NumIn() > 0
		for j := range f.Type().NumIn() {
			named = named && f.Type().In(j).Kind() == reflect.String && !f.Type().IsVariadic()
		}
		switch name {
		case "Snapshot", "MarshalJSON", "Check":
			continue
		}
		if f.Type().NumIn() > 0 && !named {
			continue
		}
		names = append(names, name)
		if !named {
			all[name] = results(f.Call(nil))
			continue
		}
		for _, arg := range []string{"a", "slow", "sleeps", "x:1", "t"} {
			in := make([]reflect.Value, f.Type().NumIn())
			for j := range in {
				in[j] = reflect.ValueOf(arg).Convert(f.Type().In(j))
			}
			all[name+" "+arg] = results(f.Call(in))
		}
	}
	return names, all
}

// results returns what a method returned, with the elements of its sequences.
func results(list []reflect.Value) (out []any) {
	for _, v := range list {
		switch {
		case v.Kind() == reflect.Func && v.Type().CanSeq():
			elements := []any{}
			for e := range v.Seq() {
				elements = append(elements, e.Interface())
			}
			out = append(out, elements)
		case v.Kind() == reflect.Func && v.Type().CanSeq2():
			elements := []any{}
			for k, e := range v.Seq2() {
				elements = append(elements, k.Interface(), e.Interface())
			}
			out = append(out, elements)
		default:
			out = append(out, v.Interface())
		}
	}
	return out
}

// shows reports whether an observer returned anything.
func shows(out any) bool {
	return slices.ContainsFunc(out.([]any), func(v any) bool {
		r := reflect.ValueOf(v)
		return r.IsValid() && !r.IsZero() && (r.Kind() != reflect.Slice || r.Len() > 0)
	})
}

// alike compares results of observers: revisions are pointers into a table, and errors are compared by text.
var alike = []cmp.Option{
	cmp.Exporter(func(reflect.Type) bool { return true }),
	cmp.Comparer(func(a, b protocol.Revision) bool { return a == b }),
	cmp.Comparer(func(a, b client.State) bool { return bytes.Equal(a.Snapshot(), b.Snapshot()) }),
	cmp.Comparer(func(a, b catalog.Catalog) bool { return bytes.Equal(a.Snapshot(), b.Snapshot()) }),
	cmp.Comparer(func(a, b error) bool { return fmt.Sprint(a) == fmt.Sprint(b) }),
}

// A restored machine shows what the original showed. The machine in use must show something in each
// observer, or a member missing from a snapshot would not be noticed.
func TestObserversOfWhatIsRestored(t *testing.T) {
	for name, row := range restorables(t) {
		t.Run(name, func(t *testing.T) {
			now := serverRow(t).now
			back, err := row.restore(row.of[0].(interface{ Snapshot() []byte }).Snapshot(), now)
			if err != nil {
				t.Fatal(err)
			}
			names, before := observations(row.of[0])
			_, after := observations(back[0])
			for key, was := range before {
				if diff := cmp.Diff(was, after[key], alike...); diff != "" {
					t.Errorf("%s: -before +restored\n%s", key, diff)
				}
			}
			for _, verb := range names {
				seen := false
				for key, was := range before {
					seen = seen || (key == verb || len(key) > len(verb) && key[:len(verb)+1] == verb+" ") && shows(was)
				}
				if silent := slices.Contains(quiet, name+" "+verb); seen == silent {
					t.Errorf("%s shows something: %v, and is listed as quiet: %v; %s", verb, seen, silent, fmt.Sprint(before[verb]))
				}
			}
		})
	}
}
