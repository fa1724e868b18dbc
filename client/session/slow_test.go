package session

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// A server that is installed when it is started reads nothing for minutes, and then at once all that it was sent: with
// the settings that nobody made there is a session, whether the client asks first what the server is or not.
func TestInstalledFirst(t *testing.T) {
	for _, revisions := range [][]protocol.Revision{nil, protocol.AllRevisions()} {
		synctest.Test(t, func(t *testing.T) {
			p := newPeer(t)
			p.sent = make(chan client.Outgoing, 10) // as a pipe
			cfg := client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}, Revisions: revisions}
			opened := make(chan error, 1)
			c, err := New(cfg, p, Options{})
			if err != nil {
				t.Fatal(err)
			}
			go func() { opened <- c.Open(t.Context()) }()
			time.Sleep(4 * time.Minute)
			if revisions != nil {
				p.say(`"id":%s,"error":{"code":-32601,"message":"no"}`, p.hear(protocol.MethodDiscover).Message.ID)
			}
			select {
			case err := <-opened:
				t.Error(err)
			default:
				p.shake()
				if err := <-opened; err != nil {
					t.Error(err)
				}
			}
			_ = c.Close(t.Context())
		})
	}
}

// Without a limit of time for a Send hours are no reason to end a session: not of silence, not of one Send.
func TestSendForHours(t *testing.T) {
	session(t, Options{SendTimeout: lifecycle.NoTimeout}, func(t *testing.T, p *peer, c *Client) {
		time.Sleep(2 * time.Hour)
		_, failed := later(func() (int, error) { return 0, c.SetRoots(t.Context(), nil) })
		wantErr(t, within(t, failed), nil)
		time.Sleep(2 * time.Hour)
		p.hear("notifications/roots/list_changed")
		wantErr(t, c.Err(), nil)
	})
}
