package session

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

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

// What the engine sends because a request of the lost session failed belongs to that session: an initialize after a
// probe that was refused with it is sent to nobody, whether another session is opened or not.
func TestProbeLostWithItsSession(t *testing.T) {
	for reopen, next := range map[int]string{0: "server/discover", -1: ""} {
		synctest.Test(t, func(t *testing.T) {
			p, cfg := newPeer(t), config()
			cfg.Revisions = protocol.AllRevisions()
			p.refuse = func(o client.Outgoing) error {
				if o.Message.Method == "initialize" {
					t.Error("initialize was sent")
				}
				return nil
			}
			c, err := New(cfg, p, Options{Serve: none, Reopen: reopen})
			if err != nil {
				t.Fatal(err)
			}
			_, failed := later(func() (int, error) { return 0, c.Open(t.Context()) })
			p.in <- news{err: &links.SessionGone{Err: errors.New("404"), NotBegun: []client.Req{p.hear("server/discover").Req}}}
			if wantErr(t, within(t, failed), links.ErrSessionGone); next != "" {
				p.hear(next)
			}
			_, _ = later(func() (int, error) { return 0, c.Close(t.Context()) })
			p.quiet(time.Minute)
		})
	}
}

// Each session that cannot be opened counts once, whether its transport or the server ends it, and the pauses between
// them grow to a maximum.
func TestReopenPauses(t *testing.T) {
	for name, end := range map[string]func(o client.Outgoing) news{
		"session gone": func(client.Outgoing) news { return news{err: links.ErrSessionGone} },
		"refused":      func(o client.Outgoing) news { return news{a: links.Arrival{Req: o.Req, Err: errors.New("refused")}} },
	} {
		t.Run(name, func(t *testing.T) {
			const tries = 40 // a pause that doubled as often would overflow
			session(t, Options{Reopen: tries}, func(t *testing.T, p *peer, c *Client) {
				p.in <- news{err: links.ErrSessionGone}
				last, pause := time.Now(), time.Duration(0)
				for i := range tries {
					o := p.hear("initialize")
					if got := time.Since(last); got != pause {
						t.Errorf("pause %d is %v, want %v", i, got, pause)
					}
					pause, last = min(max(500*time.Millisecond, 2*pause), 30*time.Second), time.Now()
					p.in <- end(o)
				}
				within(t, c.Done())
			})
		})
	}
}
