package nethttp_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/server/nethttp"
)

// callID is callOf under another id.
func callID(id int, tool string) string {
	return strings.Replace(callOf(tool, `{}`), `"id":1`, fmt.Sprintf(`"id":%d`, id), 1)
}

// A session whose Companion lives in its process is served there alone, whichever process is asked: calls and their
// streams, questions and their answers, a stream that listens, and its end.
func TestHome(t *testing.T) {
	for _, after := range []time.Duration{-1, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			w := newTown(t, 3, nethttp.Options{StreamAfter: after})
			a, b, c := w.all[0], w.all[1], w.all[2]
			session := a.open("2025-11-25")
			r := b.serve("POST", session, "2025-11-25", callID(1, "own-fast"), nil)
			r.has(t, time.Second, `"text":"at once"`)
			r = c.serve("POST", session, "2025-11-25", callID(2, "own"), nil)
			time.Sleep(time.Second)
			w.sides[0].news(session, "news")
			if err := a.h.StepNow(context.Background(), session); err != nil {
				t.Fatal(err)
			}
			<-r.done
			r.has(t, 0, `"text":"news"`)
			if want := map[time.Duration]string{-1: "text/event-stream", time.Hour: "application/json"}[after]; r.head.Get("Content-Type") != want {
				t.Error(r.head)
			}
			listens := c.serve("GET", session, "2025-11-25", "", nil)
			r = b.serve("POST", session, "2025-11-25", callID(3, "own-ask"), nil)
			r.has(t, time.Second, "sampling/createMessage")
			ask := jsonrpc.Decode([]byte(r.text()[strings.LastIndex(r.text(), "data: ")+6:]))
			answer := c.serve("POST", session, "2025-11-25", fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"role":"assistant","model":"m","content":{"type":"text","text":"yes"}}}`, ask.ID), nil)
			if <-answer.done; answer.status() != http.StatusAccepted {
				t.Error(answer.status(), answer.text())
			}
			<-r.done
			r.has(t, 0, "response received")
			r = b.serve("DELETE", session, "2025-11-25", "", nil)
			if <-r.done; r.status() != http.StatusNoContent {
				t.Error(r.status(), r.text())
			}
			<-listens.done
			if r = c.serve("POST", session, "2025-11-25", callID(4, "own-fast"), nil); true {
				if <-r.done; r.status() != http.StatusNotFound {
					t.Error(r.status(), r.text())
				}
			}
			if w.sides[0].count() != 1 || w.sides[1].count() != 0 || w.sides[2].count() != 0 || w.sides[0].ended(session) == "" {
				t.Error(w.sides[0].made, w.sides[1].made, w.sides[2].made)
			}
			w.close()
		})
	}
}

// The principal of a request is whom the process that got it says, and its address counts, not that of the process.
func TestHomeKnowsWhom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, 2, nethttp.Options{StreamAfter: time.Hour, Authenticate: func(r *http.Request) (nethttp.Principal, error) {
			if r.Header.Get("Authorization") == "" {
				return nethttp.Principal{}, &nethttp.AuthError{}
			}
			return nethttp.Principal{ID: r.Header.Get("Authorization"), Expires: time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC)}, nil // beyond what JSON has
		}})
		as := func(who string) func(*http.Request) {
			return func(r *http.Request) { r.Header.Set("Authorization", who) }
		}
		a, b := w.all[0], w.all[1]
		session := a.open("2025-11-25", as("ann"))
		for who, want := range map[string]int{"ann": 200, "bob": 404} {
			r := b.serve("POST", session, "2025-11-25", callID(1, "who"), nil, as(who))
			if <-r.done; r.status() != want || want == 200 && !strings.Contains(r.text(), `ann`) {
				t.Error(who, r.status(), r.text())
			}
		}
		r := b.serve("POST", session, "2025-11-25", callID(2, "own"), nil, as("ann"))
		time.Sleep(time.Second)
		b.h.Revoke("ann") // at the process that the client is connected to
		if <-r.done; r.status() != http.StatusServiceUnavailable {
			t.Error(r.status(), r.text())
		}
		w.close()
	})
}

// Nobody but a process with the key is let in at the address for processes, and what a client says of itself counts
// for nothing.
func TestForgedRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, 2, nethttp.Options{StreamAfter: time.Hour})
		a, b := w.all[0], w.all[1]
		session := a.open("2025-11-25")
		var sealed string
		w.lan.set(w.names[0], func(m *machine) {
			serves := m.serves
			m.serves = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				sealed = r.Header.Get("Mcp-Internal")
				serves.ServeHTTP(rw, r)
			})
		})
		body := callID(1, "own-fast")
		r := b.serve("POST", session, "2025-11-25", body, nil, func(r *http.Request) { r.Header.Set("Mcp-Internal", "mine") })
		if r.has(t, time.Second, "at once"); sealed == "" || sealed == "mine" {
			t.Error(sealed)
		}
		front, back, _ := strings.Cut(sealed, ".")
		for name, tt := range map[string]struct {
			method, header, body string
			at                   http.Handler
			want                 int
		}{
			"without a ticket":         {"POST", "", body, a.h.Internal(), 403},
			"a text":                   {"POST", "x.y", body, a.h.Internal(), 403},
			"another mac":              {"POST", front + "." + back[1:] + "A", body, a.h.Internal(), 403},
			"another ticket":           {"POST", "e30." + back, body, a.h.Internal(), 403},
			"another method":           {"DELETE", sealed, "", a.h.Internal(), 403},
			"another body":             {"POST", sealed, strings.Replace(body, `"id":1`, `"id":2`, 1), a.h.Internal(), 400},
			"another process":          {"POST", sealed, body, b.h.Internal(), 421},
			"where clients come":       {"POST", sealed, body, a.h, 415},
			"a client, and no ticket":  {"POST", "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`, a.h.Internal(), 403},
			"the request as it was":    {"POST", sealed, body, a.h.Internal(), 200},
			"the metadata, or a probe": {"GET", "", "", a.h.Internal(), 403},
		} {
			req := httptest.NewRequest(tt.method, "http://localhost/", strings.NewReader(tt.body))
			if tt.header != "" {
				req.Header.Set("Mcp-Internal", tt.header)
			}
			rec := httptest.NewRecorder()
			tt.at.ServeHTTP(rec, req)
			if rec.Code != tt.want || strings.Contains(rec.Body.String(), "at once") != (tt.want == 200) {
				t.Errorf("%s: %d %s", name, rec.Code, rec.Body)
			}
		}
		w.close()
	})
}

// Where no other process can reach it, and for a Companion that lives anywhere, all is as without homes.
func TestNoHome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, 1, nethttp.Options{StreamAfter: time.Hour})
		k := newSides()
		b := newShared(t, ownKit(), &line{cluster: newCluster()}, nethttp.Options{Companion: k.companion, Lease: lease, Internal: nethttp.Internal{URL: "http://b"}})
		session := b.open("2025-11-25")
		b.serve("POST", session, "2025-11-25", callID(1, "own-fast"), nil).has(t, time.Second, "at once")
		if k.count() != 1 {
			t.Error(k.made)
		}
		rec := httptest.NewRecorder()
		alone := newBubble(t, nethttp.Options{})
		alone.h.Internal().ServeHTTP(rec, httptest.NewRequest(http.MethodPost, "/", nil))
		if rec.Code != 403 {
			t.Error(rec.Code)
		}
		alone.close()
		b.close()
		w.close()
	})
}
