package gating_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// answerTo states the outcome of a request: the order of checks of methods.md, ERR-012.
func (c situation) answerTo(m method, good bool) string {
	phase := c.place.phase
	switch {
	case c.deaf():
		return "nothing"
	case !m.Request || !m.Sender.Has(c.x.Role.Peer()) || m.custom && !c.served(m):
		return "-32601"
	case m.Name == "ping" && good:
		return "answered"
	case m.Name == "ping":
		return "-32602"
	case m.Name == "initialize" && phase != protocol.Uninitialized:
		return "-32600"
	case phase == protocol.ShuttingDown:
		return "-32603"
	case !m.Serve.Has(phase):
		return "-32600"
	case m.Gate != 0 && c.offer.caps == 0:
		return "-32601 capability"
	case !good:
		return "-32602"
	case !c.served(m): // completion/complete in 2024-11-05 has no gate
		return "-32601"
	}
	return "answered"
}

// outcome describes the outcome of a request in the words of answerTo.
func outcome(t *testing.T, out lifecycle.Output) string {
	t.Helper()
	events := verbs.Events(out, lifecycle.RequestReceived)
	switch {
	case len(out.Send) == 0 && len(events) == 0 && out.Opened.IsZero():
		return "nothing"
	case out.Opened.IsZero():
		t.Errorf("sent %q, but no Call was opened", verbs.Lines(out))
	case len(out.Send) == 0 && len(events) == 1:
		return "answered"
	case len(out.Send) != 1 || len(events) != 0 || !out.Send[0].Final || out.Send[0].Call != out.Opened:
		t.Errorf("sent %q, events %s", verbs.Lines(out), verbs.Kinds(out))
	}
	m := out.Send[0].Message
	if m.ID != jsonrpc.String("q") {
		t.Errorf("answered under the id %v", m.ID)
	}
	switch {
	case m.Err == nil:
		return "answered"
	case m.Err.Code == -32601 && strings.Contains(string(m.Err.Data), "capability not declared"):
		return "-32601 capability"
	}
	return fmt.Sprint(m.Err.Code)
}

// unknown are names that no revision, or only another one, has.
func unknown(t *testing.T, r protocol.Revision) []method {
	_, names := stated(r)
	names = append(names, "", "Ping", "tools/list ", "server/discover", "notifications/unknown", "rpc.discover")
	var list []method
	for _, name := range names {
		list = append(list, method{verbs.Method{Name: name, Request: true, Params: "{}", Wrong: "[]"}, true})
	}
	return list
}

func TestRequests(t *testing.T) {
	walk(t, func(t *testing.T, c situation) {
		list, _ := stated(c.r)
		for _, m := range append(list, unknown(t, c.r)...) {
			for _, good := range []bool{true, false} {
				params := m.Params
				if !good {
					params = m.Wrong
				}
				line := fmt.Sprintf(`{"jsonrpc":"2.0","id":"q","method":%q,"params":%s}`, m.Name, params)
				_, out := c.x.Receive(line)
				if got, want := outcome(t, out), c.answerTo(m, good); got != want {
					t.Errorf("%s: %s, want %s", line, got, want)
				}
				if len(out.Send) == 1 && out.Send[0].Message.Err == nil { // answered by the machine
					if err := c.r.Row(m.Name).CheckResult(out.Send[0].Message.Body, jsonrpc.Span{}); err != nil {
						t.Errorf("%s: answered %q: %v", line, verbs.Lines(out), err)
					}
				}
				if c.deaf() && !out.IsZero() {
					t.Errorf("%s: %+v of a session that is over", line, out)
				}
			}
		}
	})
}

// hears states the outcome of a notification: events, with the rows they name.
func (c situation) hears(m method, good bool) string {
	phase := c.place.phase
	early := phase == protocol.Uninitialized || c.x.Role == protocol.Client && phase == protocol.Initializing
	switch {
	case c.deaf():
		return ""
	case m.custom && (!c.served(m) || !m.Sender.Has(c.x.Role.Peer())):
		return "ignored JRPC-020"
	case m.Request && m.custom && phase == protocol.ShuttingDown, m.Request && m.custom && phase == protocol.Uninitialized:
		return "ignored LIFE-043"
	case m.Request && m.custom && good: // nobody knows that it is a request
		return "notification received"
	case m.Request && m.custom:
		return "violation ERR-005"
	case m.Request:
		return "violation JRPC-023"
	case !m.Sender.Has(c.x.Role.Peer()):
		return "violation CAP-020"
	case m.Name == "notifications/cancelled" && !good && c.r == protocol.Revision20251125:
		return "ignored CANC-102"
	case m.Name == "notifications/cancelled" && !good:
		return "violation CANC-018"
	case m.Name == "notifications/cancelled":
		return "ignored CANC-010"
	case m.Name == "notifications/progress" && !good:
		return "violation PROG-006"
	case m.Name == "notifications/progress":
		return "ignored PROG-021"
	case m.Name == "notifications/initialized" && phase == protocol.Uninitialized:
		return "violation LIFE-013"
	case m.Name == "notifications/initialized" && phase == protocol.Ready:
		return "violation LIFE-014"
	case !m.Serve.Has(phase):
		return "ignored LIFE-043"
	case !good:
		return "violation ERR-005"
	case m.Name == "notifications/initialized":
		return "phase changed"
	case m.Name == "notifications/elicitation/complete": // of what nobody was sent to
		return "ignored ELIC-114"
	case m.Gate != 0 && c.peer == 0 && !early:
		return "violation CAP-021, notification received"
	}
	return "notification received"
}

func TestNotifications(t *testing.T) {
	walk(t, func(t *testing.T, c situation) {
		list, _ := stated(c.r)
		for _, m := range append(list, unknown(t, c.r)...) {
			for _, good := range []bool{true, false} {
				params := m.Params
				if !good {
					params = m.Wrong
				}
				line := fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, m.Name, params)
				next, out := c.x.Receive(line)
				var got []string
				for _, ev := range out.Events {
					got = append(got, strings.TrimSpace(ev.Kind.String()+" "+ev.Rule))
				}
				if diff := cmp.Diff(c.hears(m, good), strings.Join(got, ", ")); diff != "" {
					t.Errorf("%s (-want +got)\n%s", line, diff)
				}
				if len(out.Send) != 0 || !out.Opened.IsZero() || out.Close != nil {
					t.Errorf("%s: sends %q, opens %v, closes %v", line, verbs.Lines(out), out.Opened, out.Close)
				}
				if changes := m.Name == "notifications/initialized" && good && c.x.Role == protocol.Server && c.place.phase == protocol.Initializing; changes != (next.Phase() != c.x.Phase()) {
					t.Errorf("%s: now %v", line, next.Phase())
				}
			}
		}
	})
}
