package nethttp_test

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// blind is the store of a branched one that does not tell of its branches.
type blind struct{ *cluster }

var (
	questions = regexp.MustCompile(`"id":(\d+),"method":"sampling/createMessage"`)
	idLines   = regexp.MustCompile(`(?m)^id: (\S+)$`)
)

// asked returns the id of the last question on a stream, and that of its last event.
func (r *response) asked(t *testing.T) (question, event string) {
	t.Helper()
	r.has(t, time.Second, "sampling/createMessage")
	q, e := questions.FindAllStringSubmatch(r.text(), -1), idLines.FindAllStringSubmatch(r.text(), -1)
	if len(q) == 0 || len(e) == 0 {
		t.Fatal(r.text())
	}
	return q[len(q)-1][1], e[len(e)-1][1]
}

func answerOf(question, who string) string {
	return `{"jsonrpc":"2.0","id":` + question + `,"result":{"role":"assistant","model":"` + who + `","content":{"type":"text","text":"yes"}}}`
}

func resumedAt(id string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("Last-Event-ID", id) }
}

// A store loses the turns of a call and of the question within it. The next call has another stream and another
// question: the answer to the lost one reaches nobody, and who comes back for the lost stream is told that it is gone.
// It is so where the store tells, whoever makes the next turn; and else if who saw the lost turns makes it.
func TestLostQuestion(t *testing.T) {
	for name, tells := range map[string]bool{"the store tells": true, "the process sees it": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newBranched()
				ka, kb := newKit(), newKit()
				one := func(k *kit) *bubble {
					opt := nethttp.Options{StreamAfter: -1, Lease: lease}
					if tells {
						return newShared(t, k, c, opt)
					}
					return newShared(t, k, blind{c.cluster}, opt)
				}
				a, b := one(ka), one(kb)
				session := a.open("2025-11-25")
				c.keep()
				lost := a.serve("POST", session, "2025-11-25", callOf("ask", `{}`), nil)
				<-ka.begun
				q1, e1 := lost.asked(t)
				c.promote()
				other := b
				if !tells {
					time.Sleep(time.Second) // a watches the session
					other, kb = a, ka
				}
				next := other.serve("POST", session, "2025-11-25", strings.Replace(callOf("ask", `{}`), `"id":1`, `"id":2`, 1), nil)
				<-kb.begun
				q2, e2 := next.asked(t)
				if q1 == q2 || e1 == e2 {
					t.Errorf("question %s and %s, event %s and %s", q1, q2, e1, e2)
				}
				for _, x := range []struct{ question, who string }{{q1, "first"}, {q2, "second"}} {
					if r := b.serve("POST", session, "2025-11-25", answerOf(x.question, x.who), nil); true {
						if <-r.done; r.status() != http.StatusAccepted {
							t.Error(r.status(), r.text())
						}
					}
				}
				next.has(t, time.Second, `"id":2,"result"`)
				if strings.Contains(next.text(), "first") {
					t.Error("the answer to the lost question reached the next call:", next.text())
				}
				time.Sleep(2 * lease)
				if !lost.over() {
					t.Error("the lost stream goes on:", lost.text())
				}
				r := b.serve("GET", session, "2025-11-25", "", nil, resumedAt(e1))
				if <-r.done; r.status() != http.StatusGone {
					t.Error("who comes back for the lost stream:", r.status(), r.text())
				}
				if err := <-ka.ended; err == nil {
					t.Error("the function of the lost call goes on")
				}
				a.close()
				b.close()
			})
		})
	}
}

// A replica that has everything takes the place of its master while a call runs: the stream closes, its client comes
// back for the rest, and no event comes twice or with another's id.
func TestPromotedWithoutLoss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, k := newBranched(), newKit()
		a, b := newShared(t, k, c, nethttp.Options{StreamAfter: -1, Lease: lease}), newShared(t, newKit(), c, nethttp.Options{StreamAfter: time.Hour, Lease: lease})
		session := a.open("2025-11-25")
		r := a.serve("POST", session, "2025-11-25", callOf("steps", `{}`), nil)
		k.free <- struct{}{}
		r.has(t, time.Second, `"progress":1`)
		waits := b.serve("POST", session, "2025-11-25", strings.Replace(callOf("gate", `{"json":1}`), `"id":1`, `"id":7`, 1), nil)
		<-b.k.begun
		c.keep()
		c.promote()
		if !within(2*lease, r.over) {
			t.Fatal("the stream goes on")
		}
		e := idLines.FindAllStringSubmatch(r.text(), -1)
		got := b.serve("GET", session, "2025-11-25", "", nil, resumedAt(e[len(e)-1][1]))
		k.free <- struct{}{}
		k.free <- struct{}{}
		b.k.free <- struct{}{}
		<-got.done
		text := got.text()
		for part, n := range map[string]int{`"progress":1`: 0, `"progress":2`: 1, `"progress":3`: 1, `"text":"stepped"`: 1} {
			if strings.Count(text, part) != n {
				t.Errorf("%s is not there %d times: %s", part, n, text)
			}
		}
		seen := map[string]bool{}
		for _, id := range append(e, idLines.FindAllStringSubmatch(text, -1)...) {
			if seen[id[1]] {
				t.Error("event", id[1], "came twice")
			}
			seen[id[1]] = true
		}
		if waits.has(t, time.Second, `"text":"free {\"json\":1}"`); waits.status() != http.StatusOK {
			t.Error(waits.status())
		}
		a.close()
		b.close()
	})
}

func within(d time.Duration, ok func() bool) bool {
	for end := time.Now().Add(d); time.Now().Before(end) && !ok(); {
		time.Sleep(10 * time.Millisecond)
	}
	return ok()
}

// What the store has lost of a call, and what its caller is told; also where the session could have a Companion.
func TestLostTurns(t *testing.T) {
	for _, tt := range []struct {
		name, version string
		after         time.Duration // StreamAfter
		early         bool          // the call was opened before what is lost
		want          string        // of the POST
		resumed       int           // the status of who comes back
		told          string        // what it reads then
		beside        func(server.Peer) server.Companion
	}{
		{"the call, a stream", "2025-11-25", -1, false, `200 id: `, http.StatusGone, ``, nil},
		{"the call, a stream without an id", "2025-06-18", -1, false, `200 data: {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the answer to the call was lost`, 0, ``, nil},
		{"the call, no stream yet", "2025-11-25", time.Hour, false, `503 {"jsonrpc":"2.0","error":{"code":-32600,"message":"the answer is lost","data":{"outcome":"unknown"}}}`, 0, ``, nil},
		{"its answer, a stream", "2025-11-25", -1, true, `200 id: `, http.StatusOK, `"id":1,"error":{"code":-32603,"message":"the answer to the call was lost: the call may have had effects","data":{"outcome":"unknown","reason":"answer lost"}}`, nil},
		{"its answer, a stream, and no Companion", "2025-11-25", -1, true, `200 id: `, http.StatusOK, `"id":1,"error":{"code":-32603,"message":"the answer to the call was lost: the call may have had effects","data":{"outcome":"unknown","reason":"answer lost"}}`, func(server.Peer) server.Companion { return nil }},
		{"its answer, no stream", "2025-11-25", time.Hour, true, `200 {"jsonrpc":"2.0","id":1,"result"`, 0, ``, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, k := newBranched(), newKit()
				opt := nethttp.Options{StreamAfter: tt.after, Lease: lease, Companion: tt.beside}
				a, b := newShared(t, k, c, opt), newShared(t, newKit(), c, opt)
				session := a.open(tt.version)
				c.keep()
				r := a.serve("POST", session, tt.version, callOf("gate", `{}`), nil)
				<-k.begun
				time.Sleep(time.Second)
				if tt.early {
					c.keep()
					k.free <- struct{}{} // its answer is lost
					<-r.done
				}
				c.promote()
				if !within(2*lease, r.over) {
					t.Fatal("the response goes on")
				}
				if !strings.HasPrefix(strconv.Itoa(r.status())+" "+strings.TrimLeft(r.text(), ":\n"), tt.want) {
					t.Errorf("%d %s\nwant %s", r.status(), r.text(), tt.want)
				}
				if tt.resumed > 0 {
					e := idLines.FindStringSubmatch(r.text()) // of the first event: all there is if the rest was lost on the way
					got := b.serve("GET", session, tt.version, "", nil, resumedAt(e[1]))
					within(2*lease, func() bool { return got.status() != 0 })
					got.has(t, 2*lease, tt.told)
					if got.status() != tt.resumed {
						t.Error(got.status(), got.text())
					}
					if !within(2*lease, got.over) {
						t.Fatal("nobody answers the call")
					}
				}
				time.Sleep(2 * lease) // the id is free then, and the session goes on
				k.free <- struct{}{}
				r = a.serve("POST", session, tt.version, callOf("gate", `{"again":1}`), nil)
				r.has(t, 2*lease, `"text":"free {\"again\":1}"`)
				a.close()
				b.close()
			})
		})
	}
}
