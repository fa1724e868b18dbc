package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// ask has the right server ask the client within a call, answers it, and returns what the
// client was asked and what the server got.
func ask(t *testing.T, w *world, p protocol.Params, answer jsonrpc.Raw) (asked, got client.Event) {
	t.Helper()
	w.request(protocol.CallToolParams{Name: "right-slow"}, client.RequestOptions{})
	s, out, err := w.s[1].Request(w.now, p, server.RequestOptions{Within: w.open[len(w.open)-1].Call})
	if err != nil {
		t.Fatal(err)
	}
	w.server(1, s, out)
	asked = w.last()
	if asked.Kind != lifecycle.RequestReceived {
		t.Fatalf("the client got %v", asked.Kind)
	}
	c, answered, err := w.c.Respond(w.now, asked.Call, answer)
	if err != nil {
		t.Fatal(err)
	}
	w.heard = nil
	w.client(c, answered)
	if len(w.heard) != 1 || w.heard[0].Kind != lifecycle.ResponseReceived {
		t.Fatalf("the server got %+v", w.heard)
	}
	return asked, w.heard[0]
}

// Forms with choices of all kinds pass, and so does what the user chose; also to a client
// of a revision that has no such forms, by a server that sends them all the same.
func TestFormsPass(t *testing.T) {
	const chosen = `{"action":"accept","content":{"a":["x","y"],"b":"p"}}`
	form := protocol.RawRequest{Name: "elicitation/create", Body: `{"message":"m","requestedSchema":{"type":"object","properties":{` +
		`"a":{"type":"array","items":{"type":"string","enum":["x","y"]},"minItems":1,"default":null},` +
		`"b":{"type":"string","oneOf":[{"const":"p","title":"P"}],"default":"p"},"c":{"type":"array","items":{"anyOf":[{"const":"q","title":"Q"}]}}}}}`}
	for _, r := range []protocol.Revision{protocol.Revision20250618, protocol.Revision20251125} {
		w := newWorldOf(t, client.Config{Info: info, Serve: []string{"elicitation/create"}, Policy: policy(), Revisions: []protocol.Revision{r}})
		if w.s[0].Revision() != r || w.s[1].Revision() != r {
			t.Errorf("a client of %s gets what %s and %s have", r, w.s[0].Revision(), w.s[1].Revision())
		}
		asked, got := ask(t, w, form, chosen)
		if asked.Body != form.Body || got.Body != chosen {
			t.Errorf("%s: asked %s, answered %s", r, asked.Body, got.Body)
		}
	}
}

// The servers are told all that the client can do, and no more.
func TestServersKnowWhatTheClientCan(t *testing.T) {
	for _, tt := range []struct {
		serve   []string
		declare protocol.Capability
	}{
		{nil, 0},
		{[]string{"elicitation/create"}, 0},
		{[]string{"elicitation/create"}, protocol.CapElicitationURL},
		{[]string{"elicitation/create", "sampling/createMessage"}, protocol.CapElicitationURL | protocol.CapElicitationForm | protocol.CapSamplingTools},
		{[]string{"sampling/createMessage"}, protocol.CapSamplingContext},
	} {
		w := newWorldOf(t, client.Config{Info: info, Serve: tt.serve, Declare: tt.declare, Policy: policy()})
		if got, want := w.s[0].PeerCapabilities(), w.r.s.PeerCapabilities(); got != want {
			t.Errorf("%v %s: the servers know of %s, the relay of %s", tt.serve, tt.declare, got, want)
		}
	}
}

// A page that a server asks for is announced to the client and told done, under an id
// that no other server has.
func TestPagesPass(t *testing.T) {
	w := newWorld(t)
	p := protocol.ElicitParams{Mode: protocol.ElicitURL, Message: "m", URL: "https://example.com/1", ElicitationID: "1"}
	asked, got := ask(t, w, p, `{"action":"accept"}`)
	q, err := protocol.Decode[protocol.ElicitParams](asked.Body)
	if err != nil || q.Mode != protocol.ElicitURL || q.URL != p.URL || q.ElicitationID != "1.1" || got.Body != `{"action":"accept"}` {
		t.Errorf("asked %s, answered %s", asked.Body, got.Body)
	}
	for i := range w.s {
		s, out, err := w.s[i].Notify(w.now, protocol.ElicitationCompleteParams{ElicitationID: "1"}, server.Call{})
		if err != nil {
			t.Fatal(err)
		}
		w.server(i, s, out)
		ev := w.last()
		if want := jsonrpc.Raw([]string{`{"elicitationId":"0.1"}`, `{"elicitationId":"1.1"}`}[i]); ev.Method != protocol.MethodElicitationComplete || ev.Body != want {
			t.Errorf("server %d: the client got %v %s %s", i, ev.Kind, ev.Method, ev.Body)
		}
	}
}

// The pages of an error have the ids under which they are told done, and all else of the
// error is as it came.
func TestPagesOfErrorsPass(t *testing.T) {
	w := newWorld(t)
	req := w.request(protocol.CallToolParams{Name: "left-slow"}, client.RequestOptions{})
	e := protocol.URLElicitationRequired(
		protocol.ElicitParams{Mode: protocol.ElicitURL, Message: "m", URL: "https://example.com/1", ElicitationID: "a"},
		protocol.ElicitParams{Mode: protocol.ElicitURL, Message: "n", URL: "https://example.com/2", ElicitationID: "b"},
	)
	s, out, err := w.s[0].Fail(w.now, w.open[0].Call, e)
	if err != nil {
		t.Fatal(err)
	}
	w.server(0, s, out)
	ev := w.last()
	if ev.Req != req || ev.Err == nil || ev.Err.Message != e.Message {
		t.Fatalf("the client got %v %+v", ev.Kind, ev.Err)
	}
	pages, err := protocol.URLElicitations(*ev.Err)
	ids := []string{}
	for _, p := range pages {
		ids = append(ids, p.ElicitationID)
	}
	if err != nil || !slices.Equal(ids, []string{"0.a", "0.b"}) || pages[1].URL != "https://example.com/2" {
		t.Errorf("%s: %v", ev.Err.Data, err)
	}
	for _, data := range []jsonrpc.Raw{"", "1", `{"elicitations":{}}`, `{"elicitations":[1,{"elicitationId":7}]}`} {
		odd := jsonrpc.Error{Code: e.Code, Data: data}
		if got := ownedError(0, &odd); strings.ReplaceAll(string(got.Data), " ", "") != string(data) {
			t.Errorf("%s became %s", data, got.Data)
		}
	}
	if other := (&jsonrpc.Error{Code: 1, Data: e.Data}); ownedError(0, other) != other {
		t.Error("an error of another code was rewritten")
	}
}
