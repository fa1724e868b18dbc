package nethttp_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/server/nethttp"
)

// A store loses a whole session while a call waits, or the session is ended elsewhere: a response that has nothing yet has the
// call answered, and is not empty.
func TestSessionIsLost(t *testing.T) {
	for name, after := range map[string]time.Duration{"no stream yet": time.Hour, "a stream without an id": -1} {
		for _, promoted := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					c := newBranched()
					opt := nethttp.Options{StreamAfter: after, Lease: lease}
					a, b := newShared(t, newKit(), c, opt), newShared(t, newKit(), c, opt)
					c.keep()
					session := a.open("2025-06-18")
					r := a.serve("POST", session, "", callOf("gate", `{}`), nil)
					<-a.k.begun
					time.Sleep(time.Second)
					if promoted {
						c.promote()
					} else {
						<-b.serve("DELETE", session, "", "", nil).done
					}
					if !within(2*lease, r.over) || r.status() != 200 || !strings.Contains(r.text(), `"reason":"answer lost"`) {
						t.Errorf("promoted %v: %d %q", promoted, r.status(), r.text())
					}
					r.cut()
					a.close()
					b.close()
				})
			})
		}
	}
}
