package kinds_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema/build"
	"github.com/sansmcp/mcp/protocol/uritemplate"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
	"github.com/sansmcp/mcp/server/streams"
)

// Every type with a text form has the same form in a struct that encoding/json writes
// and reads. The generated types are tested in package protocol; conformance/audit/house checks that
// none is missing.
func TestJSON(t *testing.T) {
	call := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1.0,"method":"ping"}`)
	for _, c := range []struct {
		val  any
		want string
	}{
		{call, `{"jsonrpc":"2.0","id":1.0,"method":"ping"}`},
		{jsonrpc.DecodeString(`[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":"x","result":{"b":1}}]`), `[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":"x","result":{"b":1}}]`},
		{protocol.DecodedResult(`{"a":1}`), `{"a":1}`}, {protocol.DecodedResult(``), `null`},
		{protocol.RawRequest{Name: "x", Body: `{"a":1}`, Decoded: true}, `{"a":1}`}, {protocol.RawRequest{Name: "x"}, `null`},
		{protocol.Revision20250618, `"2025-06-18"`}, {protocol.Revision{}, `""`},
		{map[protocol.Revision]int{protocol.Revision20251125: 1}, `{"2025-11-25":1}`},
		{must(uritemplate.Parse("a:{b}")), `"a:{b}"`}, {uritemplate.Template{}, `""`},
	} {
		type own struct{ V any }
		text, err := json.Marshal(own{c.val})
		if err != nil || string(text) != `{"V":`+c.want+`}` {
			t.Errorf("%T is written as %s, want %s: %v", c.val, text, c.want, err)
			continue
		}
		back := reflect.New(reflect.TypeOf(c.val))
		if err := json.Unmarshal([]byte(c.want), back.Interface()); err != nil {
			t.Errorf("%T: %s cannot be read: %v", c.val, c.want, err)
			continue
		}
		if again, err := json.Marshal(back.Interface()); err != nil || string(again) != c.want {
			t.Errorf("%T: %s is read as %s: %v", c.val, c.want, again, err)
		}
	}
	if text, err := json.Marshal(build.String().MinLength(1)); err != nil || string(text) != `{"type":"string","minLength":1}` {
		t.Errorf("%s, %v", text, err)
	}
}

// What encoding/json would write as {} is an error, and so is another kind of text.
func TestNoJSON(t *testing.T) {
	for _, v := range []any{
		server.State{}, client.State{}, client.Pager{}, manager.Manager{}, relay.Relay{}, streams.Streams{}, nethttp.Record{}, backoff.Breaker{},
	} {
		if text, err := json.Marshal([]any{v}); !errors.Is(err, lifecycle.ErrMarshal) {
			t.Errorf("%T is written as %s: %v", v, text, err)
		}
	}
	for _, m := range []jsonrpc.Message{{}, jsonrpc.DecodeString(`{}`), {Kind: jsonrpc.KindBatch}} {
		if text, err := json.Marshal(m); err == nil || !strings.Contains(err.Error(), "jsonrpc: not a valid message") {
			t.Errorf("%v is written as %s: %v", m, text, err)
		}
	}
	m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"a"}`)
	err := json.Unmarshal([]byte(`{"jsonrpc":"1.0","method":"b"}`), &m)
	if err == nil || err.Error() != `jsonrpc: not a valid message: jsonrpc is not "2.0"` || m.Method != "a" {
		t.Errorf("%v, %v", err, m)
	}
	if err := json.Unmarshal([]byte(`null`), &m); err != nil || m.Method != "a" {
		t.Errorf("null: %v, %v", err, m)
	}
	r := protocol.Revision20250618
	if err := json.Unmarshal([]byte(`"2020-01-01"`), &r); !errors.Is(err, protocol.ErrRevision) || r != protocol.Revision20250618 {
		t.Errorf("%v, %v", err, r)
	}
	p := protocol.RawRequest{Name: "x", Body: `{}`}
	if err := p.UnmarshalJSON([]byte(`{`)); !errors.Is(err, jsonrpc.ErrRaw) || p.Body != `{}` {
		t.Errorf("%v, %v", err, p)
	}
	if err := json.Unmarshal([]byte(`null`), &p); err != nil || p != (protocol.RawRequest{Name: "x"}) {
		t.Errorf("%v, %v", err, p)
	}
	tmpl := must(uritemplate.Parse("a:{b}"))
	if err := json.Unmarshal([]byte(`"{"`), &tmpl); err == nil || tmpl.String() != "a:{b}" {
		t.Errorf("%v, %v", err, tmpl)
	}
	var s build.Schema
	if err := json.Unmarshal([]byte(`{}`), &s); err == nil {
		t.Error("a schema is read")
	}
	if text, err := json.Marshal(build.String().MinLength(-1)); err == nil {
		t.Errorf("what Check refuses is written as %s", text)
	}
}
