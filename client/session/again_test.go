package session

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// A request that did not begin in a session that is gone is made again in the next one, once. One of which that is
// not known fails, and so does each if there is no other session.
func TestMadeAgain(t *testing.T) {
	for _, tt := range []struct {
		name     string
		reopen   int
		begun    bool // nothing is known of it
		sessions int  // that end with it
		good     bool // it is answered in the end
		want     lifecycle.Delivery
	}{
		{name: "not begun", sessions: 1, good: true},
		{name: "not begun twice", sessions: 2, want: lifecycle.Rejected},
		{name: "may have begun", sessions: 1, begun: true, want: lifecycle.MayHaveRun},
		{name: "no other session", sessions: 1, reopen: -1, want: lifecycle.NotSent},
	} {
		t.Run(tt.name, func(t *testing.T) {
			session(t, Options{Reopen: tt.reopen}, func(t *testing.T, p *peer, c *Client) {
				result, failed := later(func() (jsonrpc.Raw, error) {
					return c.Request(t.Context(), protocol.ReadResourceParams{URI: "test://a"}, RequestOptions{})
				})
				for range tt.sessions {
					gone := &links.SessionGone{Err: errors.New("404")}
					if o := p.hear("resources/read"); !tt.begun {
						gone.NotBegun = []client.Req{o.Req}
					}
					p.in <- news{err: gone}
					if tt.reopen == 0 {
						p.shake()
					}
				}
				if tt.good {
					p.answer(p.hear("resources/read"), `{"contents":[]}`)
				}
				body, err := within(t, result), within(t, failed)
				synctest.Wait()
				if tt.good && (err != nil || body != `{"contents":[]}`) || !tt.good && (lifecycle.DeliveryOf(err) != tt.want || body != "") {
					t.Errorf("%s, %v, %v; want %v", body, err, lifecycle.DeliveryOf(err), tt.want)
				}
				if !tt.good {
					wantErr(t, err, links.ErrSessionGone)
				}
				select {
				case o := <-p.sent:
					t.Errorf("once more: %s", jsonrpc.Append(nil, o.Message))
				default:
				}
			})
		})
	}
}
