package rows_test

import (
	"errors"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// joined returns a client and a server that declare nothing, and serve "x/y", after
// their handshake with each other.
func joined(t testing.TB) (c, s verbs.Side) {
	t.Helper()
	c, hello := verbs.NewClient(t, client.Config{Revisions: []protocol.Revision{spoken}, Serve: []string{"x/y"}}).Begin(spoken, "")
	s, answer := verbs.NewServer(t, server.Config{Serve: []string{"x/y"}}).Receive(line(t, hello))
	c, last := c.Receive(line(t, answer))
	s, _ = s.Receive(line(t, last))
	if s.Revision() != spoken || c.Revision() != spoken {
		t.Fatalf("the client speaks %v and the server %v", c.Revision(), s.Revision())
	}
	return c, s
}

// race is a request under way from one side to the other, which may be cancelled and
// answered in any order.
type race struct {
	from, to          verbs.Side
	there, back       []string // messages under way
	req               lifecycle.Req
	call              lifecycle.Call
	cancelled         bool // the requester has tried to cancel
	answered          bool // the receiver has tried to answer
	ends              int  // of the request, at the requester
	aborted, finished int  // of the call, at the receiver
}

// next returns the possible next states.
func (r race) next(t *testing.T) []race {
	var list []race
	see := func(r race, out lifecycle.Output) race {
		for _, ev := range out.Events {
			switch ev.Kind {
			case lifecycle.ResponseReceived, lifecycle.RequestFailed:
				r.ends++
			case lifecycle.RequestCancelled:
				r.aborted++
			case lifecycle.Violation:
				t.Errorf("%v blames the other side: %s", r, ev.Rule)
			}
		}
		return r
	}
	if len(r.there) > 0 {
		n := r
		to, out := r.to.Receive(r.there[0])
		if n.to, n.there = to, r.there[1:]; !out.Opened.IsZero() {
			n.call = out.Opened
		}
		list = append(list, see(n, out))
	}
	if len(r.back) > 0 {
		n := r
		from, out := r.from.Receive(r.back[0])
		n.from, n.back = from, r.back[1:]
		list = append(list, see(n, out))
	}
	if !r.cancelled {
		n := r
		from, out, err := r.from.Cancel(r.req, "")
		if err != nil && !errors.Is(err, lifecycle.ErrGone) {
			t.Error(err)
		}
		n.from, n.cancelled, n.there = from, true, append(r.there[:len(r.there):len(r.there)], verbs.Lines(out)...)
		list = append(list, see(n, out))
	}
	if !r.answered && !r.call.IsZero() {
		n := r
		to, out, err := r.to.Respond(r.call, protocol.EmptyResult{})
		if err == nil {
			n.finished++
		} else if !errors.Is(err, lifecycle.ErrGone) {
			t.Error(err)
		}
		n.to, n.answered, n.back = to, true, append(r.back[:len(r.back):len(r.back)], verbs.Lines(out)...)
		list = append(list, see(n, out))
	}
	return list
}

func TestCancellationRacesCompletion(t *testing.T) { everywhere(t, cancellationRacesCompletion) }

func cancellationRacesCompletion(t *testing.T) {
	t.Run("CANC-014", func(t *testing.T) {
		c, s := joined(t)
		for _, pair := range [][2]verbs.Side{{c, s}, {s, c}} {
			from, out, err := pair[0].Request(protocol.RawRequest{Name: "x/y"}, lifecycle.RequestOptions{})
			if err != nil {
				t.Fatal(err)
			}
			runs := 0
			for todo := []race{{from: from, to: pair[1], there: verbs.Lines(out), req: out.Req}}; len(todo) > 0; {
				r := todo[0]
				more := r.next(t)
				if todo = append(todo[1:], more...); len(more) > 0 {
					continue
				}
				runs++
				a, b := r.from.Status(), r.to.Status()
				if r.ends != 1 || r.aborted+r.finished != 1 || a.Inbound+a.Outbound+b.Inbound+b.Outbound != 0 {
					t.Errorf("the request ended %d times, the call %d+%d times; %+v, %+v", r.ends, r.aborted, r.finished, a, b)
				}
			}
			if runs < 9 {
				t.Errorf("only %d interleavings", runs)
			}
		}
	})
}
