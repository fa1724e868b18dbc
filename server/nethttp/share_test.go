package nethttp_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sansmcp/mcp/server/host"
	"github.com/sansmcp/mcp/server/nethttp"
)

// An owner has three quarters of the connections at most, less the more others have, so that some is
// left for others. What one gives up it may have again.
func TestSharesOfConnections(t *testing.T) {
	for name, auth := range map[string]func(*http.Request) (nethttp.Principal, error){
		"by address": nil,
		"by principal": func(r *http.Request) (nethttp.Principal, error) {
			if r.RemoteAddr == "10.0.0.9:1" {
				return nethttp.Principal{}, errors.New("nobody")
			}
			return nethttp.Principal{ID: "of " + r.RemoteAddr}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBubble(t, nethttp.Options{MaxConnections: 40, Authenticate: auth})
				defer b.close()
				who := []string{"10.0.0.1:1", "10.0.0.2:1", "10.0.0.3:1"}
				ids := map[string][]string{} // a session for each stream: GETs of one take each other's place
				for _, address := range who {
					for range 40 {
						ids[address] = append(ids[address], b.open("2025-06-18", from(address)))
					}
				}
				var open []*response
				many := func(address string) (n int) {
					for _, id := range ids[address] {
						r := b.serve("GET", id, "2025-06-18", "", nil, from(address))
						if synctest.Wait(); r.status() != 200 {
							return n
						}
						open = append(open, r)
						n++
					}
					return n
				}
				if n := many(who[0]); n != 30 {
					t.Errorf("one has %d of 40", n)
				}
				if auth != nil { // who is nobody takes no place
					for range 50 {
						b.serve("GET", "x", "2025-06-18", "", nil, from("10.0.0.9:1"))
					}
					synctest.Wait()
				}
				for _, address := range who[1:] {
					if n := many(address); n == 0 {
						t.Errorf("a newcomer has %d", n)
					}
				}
				for _, r := range open {
					r.cut()
				}
				if synctest.Wait(); b.h.Status().Connections != 0 {
					t.Errorf("%+v", b.h.Status())
				}
				if n := many(who[0]); n != 30 {
					t.Errorf("again it has %d of 40", n)
				}
				for _, r := range open {
					r.cut()
				}
			})
		})
	}
}

// Calls that Companions answer take no place of a Work. They are shared by session and by owner in the
// same way, and one too many is answered at once, without the Companion.
func TestSharesOfCompanions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newSides()
		b := newBubbleOf(t, ownKit(), nethttp.Options{Companion: k.companion, Work: host.WorkOptions{MaxRunning: 24, MaxWaiting: 40}})
		defer b.close()
		flood := func(id, address string) (held int) {
			var all []*response
			for i := range 70 {
				all = append(all, b.serve("POST", id, "2025-06-18", strings.Replace(callOf("own", "{}"), `"id":1`, fmt.Sprint(`"id":`, i), 1), nil, from(address)))
				synctest.Wait()
			}
			for _, r := range all {
				if !r.over() {
					held++
				} else if !strings.Contains(r.text(), "-32603") || !strings.Contains(r.text(), "too busy") {
					t.Errorf("%d %s", r.status(), r.text())
				}
			}
			if a, _ := k.of(id); len(a.open) != held || slices.Contains(a.told, "error") {
				t.Errorf("the Companion has %d calls, %d wait", len(a.open), held)
			}
			return held
		}
		a1, a2 := b.open("2025-06-18", from("10.0.0.1:1")), b.open("2025-06-18", from("10.0.0.1:2"))
		n, c := b.open("2025-06-18", from("10.0.0.2:1")), b.open("2025-06-18", from("10.0.0.3:1"))
		if one := flood(a1, "10.0.0.1:1"); one != 24 {
			t.Errorf("one session has %d of 64", one)
		}
		if two := flood(a2, "10.0.0.1:2"); two == 0 || two > 24 {
			t.Errorf("a second one of the owner has %d", two)
		}
		for _, id := range []string{n, c} {
			if got := flood(id, map[string]string{n: "10.0.0.2:1", c: "10.0.0.3:1"}[id]); got == 0 {
				t.Error("a newcomer has none")
			}
		}
		// What has ended makes room.
		k.news(a1, "news")
		if err := b.h.StepNow(t.Context(), a1); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if again := flood(a1, "10.0.0.1:1"); again == 0 {
			t.Error("nothing is free again")
		}
		k.sound(t)
	})
}
