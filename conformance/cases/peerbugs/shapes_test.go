package peerbugs_test

import (
	"fmt"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// paramsOf are good and bad params for any method.
var paramsOf = []string{"", "null", "{}", "[]", goodInitialize, `{"name":"t"}`, `{"uri":"a:b"}`, `{"level":"info"}`,
	`{"messages":[],"maxTokens":1}`, `{"requestId":"held"}`, `{"progressToken":1,"progress":1}`, `{"level":"info","data":null}`}

// requestNames are all methods that are requests.
func requestNames() []string {
	names := []string{"initialize", "ping"}
	for _, role := range roles {
		for _, r := range requestsTo[role] {
			names = append(names, r.name)
		}
	}
	return names
}

// Case 10: a request method without an id is neither run nor answered, whatever its params;
// the phase stays, and nothing is dispatched.
//
// rows: JRPC-020 JRPC-023
func Test10RequestWithoutID(t *testing.T) {
	inEach(t, func(t *testing.T, x verbs.Side) {
		for _, name := range requestNames() {
			for _, params := range paramsOf {
				text := fmt.Sprintf(`{"jsonrpc":"2.0","method":%q`, name)
				if params != "" {
					text += `,"params":` + params
				}
				y, out := x.Receive(text + "}")
				silent(t, text, out, "violation JRPC-023")
				if y.Status() != x.Status() {
					t.Errorf("%s: %+v became %+v", text, x.Status(), y.Status())
				}
				alive(t, y)
			}
		}
	})
}

// Case 10: a notification method with an id is a request for an unknown
// method. It has no other effect, in particular on the lifecycle or on an open request.
//
// rows: JRPC-022
func Test10NotificationWithID(t *testing.T) {
	inEach(t, func(t *testing.T, x verbs.Side) {
		for _, name := range notifications {
			for _, params := range paramsOf {
				text := line("5", name, params)
				y, out := x.Receive(text)
				if outcome(out) != "-32601" || reports(out) != "violation JRPC-022" || out.Send[0].Message.ID.String() != `"5"` {
					t.Errorf("%s: %s, events %s", text, outcome(out), reports(out))
				}
				if y.Status() != x.Status() {
					t.Errorf("%s: %+v became %+v", text, x.Status(), y.Status())
				}
				alive(t, y)
			}
		}
	})
}

// Case 35: an object with an empty method is a request. No side serves that
// method, in any phase, with or without params, and without an id it is
// an unknown notification.
//
// rows: JRPC-024
func Test35EmptyMethod(t *testing.T) {
	sides := func(t *testing.T) map[string]verbs.Side {
		return map[string]verbs.Side{
			"server":         full(t, protocol.Server, lifecycle.Policy{}),
			"client":         full(t, protocol.Client, lifecycle.Policy{}),
			"relay's server": verbs.NewServer(t, server.Config{Serve: []string{"tools/call"}, ServeUnknown: true}),
			"relay's client": verbs.NewClient(t, client.Config{Serve: []string{"sampling/createMessage"}, ServeUnknown: true}),
		}
	}
	for name, fresh := range sides(t) {
		for _, phase := range live {
			x := at(fresh, phase)
			for _, params := range []string{"", "{}", "[]", "null"} {
				_, out := x.Receive(line("a", "", params))
				if outcome(out) != "-32601" || len(out.Events) != 0 {
					t.Errorf("%s, %v, params %q: %s, events %s", name, phase, params, outcome(out), reports(out))
				}
			}
			_, out := x.Receive(`{"jsonrpc":"2.0","method":""}`)
			silent(t, fmt.Sprint(name, phase), out, "ignored JRPC-020")
		}
		x := at(fresh, lifecycle.Ready)
		if _, _, err := x.Request(protocol.RawRequest{}, lifecycle.RequestOptions{}); err == nil {
			t.Error(name, ": a request without a method was sent")
		}
		if _, _, err := x.Notify(protocol.RawRequest{}); err == nil {
			t.Error(name, ": a notification without a method was sent")
		}
	}
}
