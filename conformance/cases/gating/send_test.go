package gating_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// ownVerbs are the notifications that Notify does not send, because other verbs
// or steps do.
var ownVerbs = []string{"notifications/initialized", "notifications/cancelled", "notifications/progress"}

// refuses states the error that refuses our message, nil if it is sent. The
// verb is Request or Notify.
func (c situation) refuses(m method, other, verbIsRequest, good bool) error {
	declared := c.offer.caps // a notification needs the sender's own capability,
	if verbIsRequest {       // a request that of the peer, which must have declared it
		declared = c.peer
		if c.place.phase == protocol.Uninitialized || c.place.phase == protocol.Initializing && c.x.Role == protocol.Client {
			declared = 0
		}
	}
	switch {
	case m.Name == "initialize" && c.x.Role == protocol.Client && verbIsRequest: // it has a verb of its own
		return lifecycle.ErrParams
	case !c.place.phase.Live():
		return lifecycle.ErrPhase
	case other:
		return lifecycle.ErrRevision
	case m.custom && c.place.phase == protocol.Ready && !good:
		return lifecycle.ErrParams
	case m.custom && c.place.phase == protocol.Ready:
		return nil
	case m.custom:
		return lifecycle.ErrPhase
	case m.Request != verbIsRequest, !m.Sender.Has(c.x.Role), slices.Contains(ownVerbs, m.Name):
		return lifecycle.ErrParams
	case !m.Send.Has(c.place.phase), c.place.closed:
		return lifecycle.ErrPhase
	case m.Gate != 0 && declared == 0, m.Requires != 0 && c.peer == 0:
		return lifecycle.ErrCapability
	case !good, m.Name == "notifications/elicitation/complete": // of what nobody was sent to (ELIC-112)
		return lifecycle.ErrParams
	}
	return nil
}

var kinds = []error{
	lifecycle.ErrPhase, lifecycle.ErrCapability, lifecycle.ErrRevision, lifecycle.ErrParams, lifecycle.ErrGone,
	lifecycle.ErrLimit, lifecycle.ErrProgress,
}

func TestSending(t *testing.T) {
	walk(t, func(t *testing.T, c situation) {
		x := c.x
		if x.Role == protocol.Server && x.Phase() == protocol.Ready && c.offer.caps != 0 { // for updates
			x, _ = x.Receive(`{"jsonrpc":"2.0","id":"s","method":"resources/subscribe","params":{"uri":"a:b"}}`)
			for call := range x.Inbound() {
				x, _, _ = x.Respond(call.Call, protocol.EmptyResult{})
			}
		}
		list, others := stated(c.r)
		n := len(list)
		for _, name := range others {
			list = append(list, method{Method: verbs.Method{Name: name, Request: true}})
		}
		for i, m := range list {
			for _, good := range []bool{true, false} {
				p := protocol.RawRequest{Name: m.Name, Body: jsonrpc.Raw(m.Params)}
				if !good {
					p.Body = jsonrpc.Raw(m.Wrong)
				}
				_, out, err := x.Request(p, lifecycle.RequestOptions{})
				c.holds(t, fmt.Sprintf("Request(%s %s)", m.Name, p.Body), jsonrpc.KindRequest, m.Name, out, err, c.refuses(m, i >= n, true, good))
				_, out, err = x.Notify(p)
				c.holds(t, fmt.Sprintf("Notify(%s %s)", m.Name, p.Body), jsonrpc.KindNotification, m.Name, out, err, c.refuses(m, i >= n, false, good))
			}
		}
	})
}

// holds compares the result of a verb with the expected error.
func (c situation) holds(t *testing.T, what string, kind jsonrpc.Kind, name string, out lifecycle.Output, err, want error) {
	t.Helper()
	for _, k := range kinds {
		if errors.Is(err, k) != errors.Is(want, k) {
			t.Errorf("%s: error %v, want %v", what, err, want)
			return
		}
	}
	var misuse *lifecycle.OpError
	switch {
	case want != nil && (!errors.As(err, &misuse) || misuse.Phase != c.x.Phase() || misuse.Method != name && misuse.Method != ""):
		t.Errorf("%s: the error says %+v", what, misuse)
	case want == nil && err != nil:
		t.Errorf("%s: %v", what, err)
	case want == nil && (len(out.Send) != 1 || out.Send[0].Message.Method != name || out.Send[0].Message.Kind != kind):
		t.Errorf("%s: sent %q", what, verbs.Lines(out))
	case want == nil && (kind == jsonrpc.KindRequest) == out.Req.IsZero():
		t.Errorf("%s: handle %v", what, out.Req)
	}
}

// Initialize works once, in uninitialized.
func TestInitialize(t *testing.T) {
	walk(t, func(t *testing.T, c situation) {
		if c.x.Role == protocol.Server {
			return
		}
		var want error
		if c.place.phase != protocol.Uninitialized {
			want = lifecycle.ErrPhase
		}
		_, out, err := c.x.Initialize()
		c.holds(t, "Initialize", jsonrpc.KindRequest, "initialize", out, err, want)
	})
}
