package peerbugs_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Case 7: the codes that the reports name.
//
// rows: ERR-001 ERR-003 ERR-004 ERR-005
func Test07StandardCodes(t *testing.T) {
	fresh, ready := full(t, protocol.Server, lifecycle.Policy{}), at(full(t, protocol.Server, lifecycle.Policy{}), lifecycle.Ready)
	for _, c := range []struct {
		x            verbs.Side
		name, params string
		code         int64
	}{
		{ready, "nope", "", jsonrpc.CodeMethodNotFound},
		{ready, "ping", "[1]", jsonrpc.CodeInvalidParams},
		{ready, "tools/list", `{"cursor":3}`, jsonrpc.CodeInvalidParams},
		{ready, "tools/list", `{"cursor":"bogus"}`, jsonrpc.CodeInvalidParams},
		{ready, "resources/list", `{"cursor":"\ud800"}`, jsonrpc.CodeInvalidParams},
		{ready, "logging/setLevel", `{"level":"loud"}`, jsonrpc.CodeInvalidParams},
		{ready, "logging/setLevel", `{"level":"Error"}`, jsonrpc.CodeInvalidParams},
		{ready, "tools/call", `{"name":"nope"}`, jsonrpc.CodeInvalidParams},
		{ready, "tools/call", `{"name":"t","arguments":[]}`, jsonrpc.CodeInvalidParams},
		{ready, "prompts/get", `{"name":"nope"}`, jsonrpc.CodeInvalidParams},
		{ready, "prompts/get", `{"name":"p","arguments":{"a":1}}`, jsonrpc.CodeInvalidParams},
		{ready, "initialize", goodInitialize, jsonrpc.CodeInvalidRequest},
		{ready, "initialize", "null", jsonrpc.CodeInvalidRequest},
		{ready, "roots/list", "", jsonrpc.CodeMethodNotFound},
		{ready, "elicitation/create", "", jsonrpc.CodeMethodNotFound},
		{fresh, "tools/list", "", jsonrpc.CodeInvalidRequest},
		{fresh, "tools/list", `{"cursor":3}`, jsonrpc.CodeInvalidRequest},
		{fresh, "nope", "", jsonrpc.CodeMethodNotFound},
		{fresh, "initialize", "null", jsonrpc.CodeInvalidParams},
		{fresh, "initialize", "[]", jsonrpc.CodeInvalidParams},
	} {
		if _, out := c.x.Receive(line("a", c.name, c.params)); outcome(out) != fmt.Sprint(c.code) {
			t.Errorf("%v, %s %s: %s, want %d", c.x.Phase(), c.name, c.params, outcome(out), c.code)
		}
	}
}

// Case 7: the application's answers have a code too: 0 is refused, a job's 0 and a
// plain failure are -32603, and other codes pass.
//
// rows: ERR-006 ERR-010
func Test07CodesOfTheApplication(t *testing.T) {
	x := at(full(t, protocol.Server, lifecycle.Policy{}), lifecycle.Ready)
	x, out := x.Receive(line("a", "resources/read", `{"uri":"a:b"}`))
	call := out.Opened
	if _, _, err := x.Fail(call, jsonrpc.Error{Message: "no code"}); !errors.Is(err, lifecycle.ErrParams) {
		t.Errorf("code 0: %v, want %v", err, lifecycle.ErrParams)
	}
	for _, c := range []struct {
		e    *jsonrpc.Error
		want int64
	}{{&jsonrpc.Error{Message: "no code"}, -32603}, {&jsonrpc.Error{Code: 1, Message: "m", Data: "{"}, -32603}, {&jsonrpc.Error{Code: -1, Message: "m"}, -1},
		{&jsonrpc.Error{Code: -9007199254740993, Message: "m"}, -9007199254740993}} {
		s, out, _ := x.Server().Finish(x.Now, server.Answer{Call: call, Err: c.e})
		if outcome(out) != fmt.Sprint(c.want) || s.Status().Inbound != 0 {
			t.Errorf("finished with %+v: %s, want %d", c.e, outcome(out), c.want)
		}
	}
	var h server.Handlers
	h.Resource(protocol.Resource{URI: "a:b", Name: "b"}, func(context.Context, server.Caller, protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
		return nil, errors.New("disk of user x is full")
	})
	_, out = h.Handle(x.Server().Receive(x.Now, jsonrpc.DecodeString(line("b", "resources/read", `{"uri":"a:b"}`))))
	if outcome(out) != "-32603" || strings.Contains(out.Send[0].Message.Err.Message, "disk") {
		t.Errorf("a handler that fails: %s, %q", outcome(out), verbs.Lines(out))
	}
}

// message draws any message, mostly nearly valid.
func message(t *rapid.T) string {
	maybe := func(name string, values ...string) string {
		return rapid.SampledFrom(values).Draw(t, name)
	}
	id := maybe("id", "", `"id":1,`, `"id":"held",`, `"id":0,`, `"id":null,`, `"id":1.5,`, `"id":1.0,`, `"id":2,`, `"id":{},`)
	method := rapid.SampledFrom(append(append(requestNames(), notifications...), "", "nope", "Ping", "a\nb")).Draw(t, "method")
	params := rapid.SampledFrom(append(paramsOf, `"x"`, `{"cursor":"x"}`, `{"_meta":null}`, `{"_meta":{"progressToken":1.5}}`, `{"name":null}`)).Draw(t, "params")
	switch maybe("kind", "call", "call", "call", "answer", "junk") {
	case "answer":
		return fmt.Sprintf(maybe("form", append(malformed, `{"jsonrpc":"2.0","id":%s,"result":{}}`, `{"jsonrpc":"2.0","id":%s,"error":{"code":0,"message":""}}`)...),
			maybe("answered", "1", "2", "3", `"1"`, "null", "[]"))
	case "junk":
		return rapid.SampledFrom(frames).Draw(t, "frame").text
	}
	if params != "" {
		params = `,"params":` + params
	}
	return fmt.Sprintf(`{%s%s"method":%q%s}`, maybe("version", `"jsonrpc":"2.0",`, `"jsonrpc":"2.0",`, `"jsonrpc":"1.0",`, ""), id, method, params)
}

// Cases 7 and 53: whatever arrives and whatever the application does, each error
// sent has a nonzero code and a short text without data of the peer, each
// answer has the id of a request, and nothing is null.
//
// rows: JRPC-001 JRPC-009 JRPC-018 JRPC-019 ERR-014
func Test07EveryError(t *testing.T) {
	starts := []verbs.Side{}
	for _, role := range roles {
		for _, phase := range live {
			starts = append(starts, at(full(t, role, lifecycle.Policy{}), phase))
		}
	}
	texts := map[string]bool{}
	rapid.Check(t, func(rt *rapid.T) {
		x := rapid.SampledFrom(starts).Draw(rt, "start")
		var calls []lifecycle.Call
		for c := range x.Inbound() {
			calls = append(calls, c.Call)
		}
		for range rapid.IntRange(1, 15).Draw(rt, "steps") {
			var out lifecycle.Output
			if len(calls) > 0 && rapid.IntRange(0, 3).Draw(rt, "answer") == 0 {
				call := rapid.SampledFrom(calls).Draw(rt, "call")
				e := jsonrpc.Error{Code: rapid.SampledFrom([]int64{0, 1, -32603}).Draw(rt, "code"), Message: "of the application"}
				x, out, _ = x.Fail(call, e)
			} else {
				text := message(rt)
				x, out = x.Receive(text)
				if out.Opened.IsZero() && len(out.Send) > 0 && x.Phase() != lifecycle.Ready {
					rt.Errorf("%s: sent %q, but opened no Call", text, verbs.Lines(out))
				}
			}
			for _, ev := range verbs.Events(out, lifecycle.RequestReceived) {
				calls = append(calls, ev.Call)
			}
			for i, text := range verbs.Lines(out) {
				m := out.Send[i].Message
				if back := jsonrpc.DecodeString(text); back.Kind != m.Kind || len(nulls(text)) > 0 || m.Kind != jsonrpc.KindNotification && m.ID.IsZero() {
					rt.Errorf("sent %s, nulls at %v", text, nulls(text))
				}
				if m.Err == nil {
					continue
				}
				if m.Err.Code == 0 || m.Err.Message == "" || strings.ContainsAny(m.Err.Message, "\n\r") {
					rt.Errorf("sent %s", text)
				}
				texts[m.Err.Message] = true
			}
		}
	})
	if len(texts) > 12 {
		t.Errorf("%d texts of errors; do they hold what the peer sent? %v", len(texts), texts)
	}
}
