package rows_test

import (
	"fmt"
	"testing"
	"unicode/utf8"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// TestClosely tests rows whose other cases a narrower implementation would also pass.
//
// rows: CANC-003 CANC-011 TRANS-001
func TestClosely(t *testing.T) {
	t.Run("CANC-003", func(t *testing.T) { each(t, cancelTheirs) })
	t.Run("CANC-011", func(t *testing.T) { each(t, cancelMuchLater) })
	t.Run("TRANS-001", func(t *testing.T) {
		invalidUTF8(t)
		each(t, validUTF8)
	})
}

// cancelTheirs: the numbers of the peer's requests name no request of ours.
func cancelTheirs(t *testing.T, x verbs.Side) {
	x = at(x, lifecycle.Ready)
	x, own := send(x, protocol.RawRequest{Name: "ping"})
	last := own.Seq()
	for id := range 2 * last {
		x, _ = x.Receive(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, 1+id, featuresOf(x.Role)[1].Name, featuresOf(x.Role)[1].Body))
	}
	if n := x.Status().Inbound; n != int(2*last) {
		t.Fatalf("%d requests of the peer are open", n)
	}
	for n := range 2*last + 1 {
		if n == last {
			continue
		}
		_, out, err := x.Cancel(x.Req(n), "mine")
		fails(t, err, lifecycle.ErrGone)
		quiet(t, out)
	}
	_, out, err := x.Cancel(full(t, x.Role).Req(last), "of another session")
	fails(t, err, lifecycle.ErrGone)
	quiet(t, out)
	_, out, err = x.Cancel(own, "mine")
	if err != nil {
		t.Error(err)
	}
	sent(t, out, fmt.Sprintf(`{"method":"notifications/cancelled","params":{"requestId":%d,"reason":"mine"}}`, last))
}

// cancelMuchLater: a cancellation that arrives a thousand messages late is ignored, and the
// request that has the id by then is another one.
func cancelMuchLater(t *testing.T, x verbs.Side) {
	x = at(x, lifecycle.Ready)
	x, call := hold(x)
	x, _, err := x.Fail(call, protocol.InternalError("no"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		var out lifecycle.Output
		x, out = x.Receive(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
		sent(t, out, fmt.Sprintf(`{"id":%d,"result":{}}`, i))
	}
	late := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"held"}}`
	x, out := x.Receive(late)
	quiet(t, out)
	events(t, out, "ignored CANC-010")
	x, call = hold(x)
	if x.Status().Inbound != 1 {
		t.Error("the request of the same id is not open")
	}
	x, out = x.Receive(late)
	quiet(t, out)
	events(t, out, "request cancelled")
	_, _, err = x.Fail(call, protocol.InternalError("no"))
	fails(t, err, lifecycle.ErrGone)
}

// notUTF8 are bytes that are not UTF-8, each in its own way.
var notUTF8 = []string{
	"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc3", "\xe0\x80\x80", "\xe2\x82", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x80\x80\x80", "\xf0\x9f\x98", "\xf4\x90\x80\x80", "\xf8", "\xff\xfe",
}

// invalidUTF8: such bytes are not a message, wherever they are.
func invalidUTF8(t *testing.T) {
	for _, bad := range notUTF8 {
		for _, text := range []string{
			`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"%s"}}`, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"%s":1}}`,
			`{"jsonrpc":"2.0","id":"%s","method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":"ping%s"}`, `{"jsonrpc":"2.0","id":1,"method":"ping","%s":1}`,
			`{"jsonrpc":"2.0","id":1,"result":{"a":["b","%s"]}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"%s"}}`,
			`%s{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":"ping"}%s`, `{"jsonrpc":"2.0",%s"id":1,"method":"ping"}`,
		} {
			line := fmt.Sprintf(text, bad)
			if m := jsonrpc.Decode([]byte(line)); m.Kind != jsonrpc.KindInvalid || !utf8.ValidString(m.Method+m.ID.String()) {
				t.Errorf("%q is a %v with id %v and method %q", line, m.Kind, m.ID, m.Method)
			}
		}
	}
}

// validUTF8: whatever the application sends is valid UTF-8 and can be read again.
func validUTF8(t *testing.T, x verbs.Side) {
	x = at(x, lifecycle.Ready)
	for _, bad := range notUTF8 {
		for _, said := range []string{bad, "a" + bad, bad + "b", "é" + bad + "\""} {
			now, call := hold(x)
			now, req := send(now, protocol.RawRequest{Name: "ping"})
			check := func(what string, out lifecycle.Output, err error) {
				for _, o := range out.Send {
					text := jsonrpc.Append(nil, o.Message)
					if m := jsonrpc.Decode(text); !utf8.Valid(text) || m.Kind != o.Message.Kind {
						t.Errorf("%s %q: sent %q", what, said, text)
					}
				}
				if err == nil && len(out.Send) == 0 {
					t.Errorf("%s %q: nothing is sent", what, said)
				}
			}
			_, out, err := now.Fail(call, jsonrpc.Error{Code: 1, Message: said})
			check("fail", out, err)
			_, out, err = now.Fail(call, jsonrpc.Error{Code: 1, Message: "m", Data: jsonrpc.Raw(`"` + said + `"`)})
			check("fail with data", out, err)
			_, out, err = now.Cancel(req, said)
			check("cancel", out, err)
			_, out, err = now.Respond(call, result(x.Role, said))
			check("respond", out, err)
			_, out, err = now.Request(protocol.RawRequest{Name: "custom/" + said, Body: "{}"}, lifecycle.RequestOptions{})
			check("request", out, err)
			_, out, err = now.Request(protocol.RawRequest{Name: "ping", Body: jsonrpc.Raw(`{"a":"` + said + `"}`)}, lifecycle.RequestOptions{})
			check("request with a body", out, err)
			_, out, err = now.Notify(protocol.RawRequest{Name: "notifications/custom/" + said, Body: "{}"})
			check("notify", out, err)
			now, out = now.Receive(ask("token", protocol.RawRequest{Name: featuresOf(x.Role)[1].Name, Body: protocol.Raw(`{"_meta":{"progressToken":1},` + string(featuresOf(x.Role)[1].Body[1:]))}))
			_, out, err = now.Progress(out.Opened, protocol.ProgressParams{Progress: 1, Message: said})
			check("progress", out, err)
		}
	}
}

// result is a result for the request of hold.
func result(role protocol.Party, said string) protocol.Result {
	if role == protocol.Server {
		return protocol.TextResult(said)
	}
	return protocol.CreateMessageResult{Role: protocol.RoleAssistant, Content: []protocol.Content{protocol.TextContent(said)}, Model: said}
}
