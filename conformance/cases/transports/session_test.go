package transports_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server/nethttp"
)

// Session ids cannot be guessed: 26 characters of base 32 are 130 bits. They are
// unique and unrelated.
//
// rows: HTTP-041 HTTP-042
func TestSessionIDs(t *testing.T) {
	for _, r := range protocol.Revisions() {
		s := open(t, r, nethttp.Options{})
		form := regexp.MustCompile(`^[A-Z2-7]{26}$`)
		seen := map[string]bool{}
		places := make([]map[byte]bool, 26) // the characters at each place
		for range 250 {
			id := s.initialize(r)
			if !form.MatchString(id) || !headers.ValidSession(id) {
				t.Fatalf("%v: %q", r, id)
			}
			seen[id] = true
			for i := range places {
				if places[i] == nil {
					places[i] = map[byte]bool{}
				}
				places[i][id[i]] = true
			}
		}
		if len(seen) != 250 {
			t.Errorf("%v: only %d ids of 250 sessions", r, len(seen))
		}
		for i, have := range places {
			if len(have) < 20 { // 250 random ones out of 32 leave hardly any out
				t.Errorf("%v: place %d has only %d characters: a counter or a clock", r, i, len(have))
			}
		}
	}
}

// A session belongs to the principal that began it: for another one it does not exist, for
// any kind of request, and does not change for the first.
//
// rows: HTTP-004 AUTH-051 SEC-109
func TestPrincipals(t *testing.T) {
	for _, r := range protocol.Revisions() {
		s := open(t, r, nethttp.Options{Authenticate: func(r *http.Request) (nethttp.Principal, error) {
			token, _ := headers.Bearer(r.Header.Get("Authorization"))
			if token != "ada" && token != "bob" {
				return nethttp.Principal{}, &nethttp.AuthError{}
			}
			return nethttp.Principal{ID: token}, nil
		}})
		id := s.initialize(r, "Authorization", "Bearer ada")
		for token, want := range map[string]int{"bob": http.StatusNotFound, "eve": http.StatusUnauthorized} {
			for _, a := range []answer{
				s.ask("POST", "/mcp", ping, "Mcp-Session-Id", id, "Authorization", "Bearer "+token),
				s.ask("GET", "/mcp", "", "Accept", "text/event-stream", "Mcp-Session-Id", id, "Authorization", "Bearer "+token),
				s.ask("GET", "/mcp", "", "Accept", "text/event-stream", "Last-Event-ID", "1-1", "Mcp-Session-Id", id, "Authorization", "Bearer "+token),
				s.ask("DELETE", "/mcp", "", "Mcp-Session-Id", id, "Authorization", "Bearer "+token),
			} {
				if a.status != want || strings.Contains(a.body, "ada") {
					t.Errorf("%v, %s: %+v", r, token, a)
				}
			}
		}
		if a := s.ask("POST", "/mcp", ping, "Mcp-Session-Id", id, "Authorization", "Bearer ada"); a.status != http.StatusOK {
			t.Errorf("%v: %+v", r, a)
		}
	}
}
