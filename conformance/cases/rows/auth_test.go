package rows_test

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// authorization finds the words of the authorization page in names and in messages.
var authorization = regexp.MustCompile(`(?i)auth|bearer|credential|password|access.?token|api.?key|cookie`)

// both are the two ends of a session; each receives at once what the other sends.
type both struct {
	client, server verbs.Side
	lines          []string
	events         []lifecycle.Event
	closed         bool
}

// from passes the messages of an end to the other end, until none is left.
func (b *both) from(role protocol.Party, x verbs.Side, out lifecycle.Output) {
	if role == protocol.Client {
		b.client = x
	} else {
		b.server = x
	}
	b.events = append(b.events, out.Events...)
	b.closed = b.closed || out.Close != nil
	for _, line := range verbs.Lines(out) {
		b.lines = append(b.lines, line)
		if role == protocol.Client {
			x, out := b.server.Receive(line)
			b.from(protocol.Server, x, out)
		} else {
			x, out := b.client.Receive(line)
			b.from(protocol.Client, x, out)
		}
	}
}

// call is the last request to an end.
func (b *both) call(t *testing.T, method string) lifecycle.Call {
	t.Helper()
	for _, ev := range slices.Backward(b.events) {
		if ev.Kind == lifecycle.RequestReceived && ev.Method == method {
			return ev.Call
		}
	}
	t.Fatalf("nobody asked for %s", method)
	return lifecycle.Call{}
}

// A whole session needs no authorization data: a driver
// and an application cannot pass any in, and a session contains none, from the handshake over calls in
// both directions, progress and a cancellation to its end.
func TestAuthorization(t *testing.T) {
	t.Run("AUTH-001", func(t *testing.T) {
		if names := inputs(); len(names) < 100 || !slices.Contains(names, "jsonrpc.Message.Method") || !slices.Contains(names, "server.Config.Catalog") {
			t.Errorf("only %d names of inputs were found: %v", len(names), names)
		} else if i := slices.IndexFunc(names, authorization.MatchString); i >= 0 {
			t.Errorf("%s is an input", names[i])
		}

		b := &both{client: full(t, protocol.Client), server: full(t, protocol.Server)}
		took := func(role protocol.Party) func(x verbs.Side, out lifecycle.Output, err error) {
			return func(x verbs.Side, out lifecycle.Output, err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
				b.from(role, x, out)
			}
		}
		client, server := took(protocol.Client), took(protocol.Server)
		client(b.client.Initialize())
		client(b.client.Request(protocol.RawRequest{Name: "tools/list"}, lifecycle.RequestOptions{}))
		server(b.server.Respond(b.call(t, "tools/list"), protocol.Raw(`{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`)))
		client(b.client.Request(protocol.CallToolParams{Name: "t"}, lifecycle.RequestOptions{Progress: true}))
		first := b.call(t, "tools/call")
		server(b.server.Progress(first, protocol.ProgressParams{Progress: 1}))
		server(b.server.Request(featuresOf(protocol.Client)[1], lifecycle.RequestOptions{Within: first}))
		client(b.client.Respond(b.call(t, "sampling/createMessage"), protocol.Raw(`{"role":"assistant","content":{"type":"text","text":"x"},"model":"m"}`)))
		server(b.server.Respond(first, protocol.TextResult("x")))
		client(b.client.Request(protocol.RawRequest{Name: "resources/read", Body: `{"uri":"a:b"}`}, lifecycle.RequestOptions{}))
		for r := range b.client.Outbound() {
			client(b.client.Cancel(r.Req, "changed my mind"))
		}
		client(b.client.Request(protocol.PingParams{}, lifecycle.RequestOptions{}))
		x, out := b.client.Shutdown(time.Second)
		b.from(protocol.Client, x, out)
		x, out = b.server.InputClosed()
		b.from(protocol.Server, x, out)
		for _, role := range roles {
			x := map[protocol.Party]verbs.Side{protocol.Client: b.client, protocol.Server: b.server}[role]
			x, out := x.Disconnected(nil)
			b.from(role, x, out)
			if x.Phase() != lifecycle.Disconnected || x.Status().Outbound+x.Status().Inbound > 0 {
				t.Errorf("the %v is %v with %+v", role, x.Phase(), x.Status())
			}
		}

		for _, kind := range []lifecycle.EventKind{
			lifecycle.RequestReceived, lifecycle.ResponseReceived, lifecycle.ProgressReceived, lifecycle.RequestCancelled, lifecycle.PhaseChanged,
		} {
			if !slices.ContainsFunc(b.events, func(ev lifecycle.Event) bool { return ev.Kind == kind }) {
				t.Errorf("the session saw no %v", kind)
			}
		}
		for _, ev := range b.events {
			if ev.Kind == lifecycle.Violation || ev.Err != nil {
				t.Errorf("%v %s %s %v", ev.Kind, ev.Rule, ev.Method, ev.Err)
			}
		}
		if !b.closed || len(b.lines) < 14 {
			t.Errorf("closed %v after %d lines:\n%s", b.closed, len(b.lines), strings.Join(b.lines, "\n"))
		}
		for _, line := range b.lines {
			if authorization.MatchString(line) {
				t.Errorf("authorization in %s", line)
			}
		}
	})
}

// inputs returns the names of all inputs of a State: the arguments of New and
// of the transitions, and the exported fields of this module's types in them.
func inputs() (names []string) {
	seen := map[reflect.Type]bool{}
	var walk func(t reflect.Type)
	walk = func(t reflect.Type) {
		if seen[t] {
			return
		}
		seen[t] = true
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			walk(t.Elem())
		case reflect.Map:
			walk(t.Key())
			walk(t.Elem())
		case reflect.Struct:
			if !strings.HasPrefix(t.PkgPath(), "github.com/sansmcp/mcp/") {
				return
			}
			for i := range t.NumField() {
				if f := t.Field(i); f.IsExported() {
					names = append(names, t.String()+"."+f.Name)
					walk(f.Type)
				}
			}
		}
	}
	walk(reflect.TypeFor[server.Config]())
	walk(reflect.TypeFor[server.Items]()) // the contents of a Catalog
	walk(reflect.TypeFor[client.Config]())
	walk(reflect.TypeFor[jsonrpc.Decoder]())
	for _, state := range []reflect.Type{reflect.TypeFor[server.State](), reflect.TypeFor[client.State]()} {
		for i := range state.NumMethod() {
			m := state.Method(i)
			names = append(names, state.String()+"."+m.Name)
			for i := range m.Type.NumIn() {
				walk(m.Type.In(i))
			}
		}
	}
	return names
}
