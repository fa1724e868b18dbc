package nethttp_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/server/nethttp"
)

// A principal that is revoked loses its connections at once, and nobody else does. Its sessions go on,
// with what was called: with a token that is valid it gets the answer.
//
// rows: SEC-113
func TestRevoke(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newEras(t, newKit(), nethttp.Options{Authenticate: leases(), StreamAfter: time.Second})
		defer b.close()
		ada, bob := b.open("2025-11-25", bearer("ada/1h")), b.open("2025-11-25", bearer("bob/1h"))
		call := b.serve("POST", ada, "2025-11-25", callOf("gate", "{}"), nil, bearer("ada/1h"))
		listen := b.serve("GET", ada, "2025-11-25", "", nil, bearer("ada/1h"))
		whole := b.serve("POST", ada, "2025-11-25", strings.Replace(callOf("gate", "{}"), `"id":1`, `"id":2`, 1), nil, bearer("ada/1h"), set("Accept", "application/json"))
		other := b.serve("GET", bob, "2025-11-25", "", nil, bearer("bob/1h"))
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if call.over() || listen.over() || whole.over() || other.over() || len(b.k.begun) != 2 {
			t.Fatal("something has ended early")
		}
		b.h.Revoke("nobody")
		b.h.Revoke("ada")
		<-call.done
		<-listen.done
		<-whole.done
		synctest.Wait()
		if other.over() || call.status() != 200 || listen.status() != 200 || whole.status() != 503 || len(b.k.ended) != 0 {
			t.Errorf("over %v; %d %d %d; %d ended", other.over(), call.status(), listen.status(), whole.status(), len(b.k.ended))
		}
		b.k.free <- struct{}{}
		b.k.free <- struct{}{}
		again := b.serve("GET", ada, "2025-11-25", "", nil, bearer("ada/2h"), set("Last-Event-Id", call.last()))
		if <-again.done; strings.Count(again.text(), "free") != 1 {
			t.Errorf("the answer: %d %s", again.status(), again.text())
		}
		if s := b.h.Status(); s.Sessions != 2 || s.Connections != 1 {
			t.Errorf("%+v", s)
		}
	})
}

// What is found out about a token while its principal is revoked may be older, so that it is found out
// again. A request waits for that no longer than three times.
func TestRevokedMeanwhile(t *testing.T) {
	for _, revokes := range []int{1, 2, 3, 100} {
		synctest.Test(t, func(t *testing.T) {
			var b *bubble
			asked := 0
			b = newBubble(t, nethttp.Options{Authenticate: func(*http.Request) (nethttp.Principal, error) {
				asked++
				if asked <= revokes {
					b.h.Revoke("ada")
				} else if revokes == 2 { // now the issuer knows
					return nethttp.Principal{}, &nethttp.AuthError{Code: "invalid_token"}
				}
				return nethttp.Principal{ID: "ada"}, nil
			}})
			defer b.close()
			r := b.serve("POST", "", "", `{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`, nil)
			<-r.done
			want, times := map[int]int{1: 200, 2: 401, 3: 503, 100: 503}[revokes], min(revokes+1, 3)
			if r.status() != want || asked != times {
				t.Errorf("%d: %d %s after %d times", revokes, r.status(), r.text(), asked)
			}
			if n := b.h.Status().Connections; n != 0 {
				t.Errorf("%d connections are counted", n)
			}
		})
	}
}

// Without Authenticate there is nobody to revoke, whatever address a client has.
func TestRevokeWithoutPrincipals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, nethttp.Options{})
		defer b.close()
		listen := b.serve("GET", b.open("2025-11-25", from("socket")), "2025-11-25", "", nil, from("socket"))
		synctest.Wait()
		b.h.Revoke("socket")
		b.h.Revoke("")
		synctest.Wait()
		if listen.over() {
			t.Error("the stream has ended")
		}
		listen.cut()
		<-listen.done
	})
}
