package nethttp_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server/nethttp"
)

// leases takes tokens like ada/1m, which name ada and count for a minute from the beginning of the test.
func leases() func(*http.Request) (nethttp.Principal, error) {
	begin := time.Now()
	return func(r *http.Request) (nethttp.Principal, error) {
		token, _ := headers.Bearer(r.Header.Get("Authorization"))
		who, span, ok := strings.Cut(token, "/")
		if !ok {
			return nethttp.Principal{}, &nethttp.AuthError{}
		}
		d, err := time.ParseDuration(span)
		return nethttp.Principal{ID: who, Expires: begin.Add(d)}, err
	}
}

var (
	eventIDs = regexp.MustCompile(`(?m)^id: (.*)$`)
	numbers  = regexp.MustCompile(`"data":"n(\d+)"`)
)

// last returns the id of the last event of a response; "" if there is none.
func (r *response) last() string {
	all := eventIDs.FindAllStringSubmatch(r.text(), -1)
	if all == nil {
		return ""
	}
	return all[len(all)-1][1]
}

// The stream of a call ends when its token counts no more, and with the next token its client gets the
// answer, which the function made meanwhile, once. Nobody else gets it. A client that has seen no event
// id cannot come back: it keeps the connection until the answer is there. No answer is ever 401: the
// client would post the call again.
//
// rows: AUTH-031 SEC-109 SEC-113
func TestCallOutlivesItsToken(t *testing.T) {
	for _, r := range protocol.Revisions() {
		for _, streamAfter := range []time.Duration{-1, time.Hour} {
			t.Run(fmt.Sprint(r, streamAfter), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := newBubble(t, nethttp.Options{Authenticate: leases(), StreamAfter: streamAfter})
					defer b.close()
					version := r.String()
					id := b.open(version, bearer("ada/1h"))
					call := b.serve("POST", id, version, callOf("gate", "{}"), nil, bearer("ada/1m"))
					time.Sleep(time.Minute - 1)
					synctest.Wait()
					if call.over() || len(b.k.begun) != 1 {
						t.Fatalf("it has ended early: %d %s", call.status(), call.text())
					}
					time.Sleep(2 * time.Nanosecond)
					synctest.Wait()
					primes := r == protocol.Revision20251125
					if call.over() != primes || call.status() != 200 {
						t.Fatalf("over is %v: %d %s", call.over(), call.status(), call.text())
					}
					for token, status := range map[string]int{"ada/1m": 401, "bob/1h": 404, "": 401} {
						for _, method := range []string{"GET", "DELETE"} {
							late := b.serve(method, id, version, "", nil, bearer(token), set("Last-Event-Id", "1-1"))
							if <-late.done; late.status() != status || strings.Contains(late.text(), "free") {
								t.Errorf("%s with %q: %d %s", method, token, late.status(), late.text())
							}
						}
						late := b.serve("POST", id, version, callOf("gate", "{}"), nil, bearer(token))
						if <-late.done; late.status() != status {
							t.Errorf("POST with %q: %d %s", token, late.status(), late.text())
						}
					}
					b.k.free <- struct{}{}
					if primes {
						call = b.serve("GET", id, version, "", nil, bearer("ada/1h"), set("Last-Event-Id", call.last()))
					}
					if <-call.done; strings.Count(call.text(), "free {}") != 1 || call.status() != 200 {
						t.Errorf("the answer: %d %s", call.status(), call.text())
					}
					if len(b.k.begun) != 1 || len(b.k.ended) != 0 {
						t.Errorf("begun %d times, cancelled %d times", len(b.k.begun), len(b.k.ended))
					}
				})
			})
		}
	}
}

// What goes on after its token, because its client cannot come back, goes on for a minute and no longer.
func TestExpiredGrace(t *testing.T) {
	jsonAlone := set("Accept", "application/json")
	for name, tt := range map[string]struct {
		opt     nethttp.Options
		begin   func(b *bubble) *response
		status  int // when the minute is over
		answers bool
	}{
		"no event id": {nethttp.Options{}, func(b *bubble) *response {
			return b.serve("POST", b.open("2025-06-18", bearer("ada/1h")), "2025-06-18", callOf("gate", "{}"), nil, bearer("ada/1m"))
		}, 200, true},
		"JSON alone": {nethttp.Options{}, func(b *bubble) *response {
			return b.serve("POST", b.open("2025-11-25", bearer("ada/1h")), "2025-11-25", callOf("gate", "{}"), nil, bearer("ada/1m"), jsonAlone)
		}, 503, true},
		"no session": {nethttp.Options{}, func(b *bubble) *response { return b.alone("tools/call", "gate", "", bearer("ada/1m")) }, 200, true},
		"no session, JSON alone": {nethttp.Options{}, func(b *bubble) *response {
			return b.alone("tools/call", "gate", "", bearer("ada/1m"), jsonAlone)
		}, 503, true},
		"stateless": {nethttp.Options{Stateless: true}, func(b *bubble) *response {
			return b.serve("POST", "", "2025-11-25", callOf("gate", "{}"), nil, bearer("ada/1m"))
		}, 200, true},
		"HTTP+SSE": {nethttp.Options{LegacySSE: true}, func(b *bubble) *response {
			x, post := b.legacy(bearer("ada/1m"))
			post(callOf("gate", "{}"), bearer("ada/1h"))
			return x
		}, 200, true},
	} {
		for _, wait := range []time.Duration{time.Minute - 1, time.Minute + 1} {
			t.Run(fmt.Sprint(name, wait), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					tt.opt.Authenticate = leases()
					b := newEras(t, newKit(), tt.opt)
					defer b.close()
					call := tt.begin(b)
					time.Sleep(time.Minute + wait)
					synctest.Wait()
					if len(b.k.begun) != 1 || call.over() != (wait > time.Minute) {
						t.Fatalf("over is %v: %d %s", call.over(), call.status(), call.text())
					}
					if wait > time.Minute {
						if call.status() != tt.status || strings.Contains(call.text(), "free") {
							t.Errorf("cut: %d %s", call.status(), call.text())
						}
						b.k.free <- struct{}{}
						return
					}
					b.k.free <- struct{}{}
					synctest.Wait()
					if !call.over() || call.status() != 200 || strings.Count(call.text(), "free") != 1 {
						t.Errorf("answered: %d %s", call.status(), call.text())
					}
				})
			})
		}
	}
}

// legacy opens a session of HTTP+SSE. post sends a message of it.
func (b *bubble) legacy(edit ...func(*http.Request)) (x *response, post func(body string, edit ...func(*http.Request))) {
	b.t.Helper()
	x = b.serve("GET", "", "", "", nil, append(edit, set("Accept", "text/event-stream"))...)
	synctest.Wait()
	_, query, ok := strings.Cut(x.text(), "data: /?")
	query, _, _ = strings.Cut(query, "\n")
	if !ok {
		b.t.Fatal(x.status(), x.text())
	}
	post = func(body string, edit ...func(*http.Request)) {
		b.t.Helper()
		r := b.serve("POST", "", "", body, nil, append(edit, func(r *http.Request) { r.URL.RawQuery = query })...)
		if <-r.done; r.status() != 202 {
			b.t.Fatal(r.status(), r.text())
		}
	}
	post(`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`, edit...)
	post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, edit...)
	synctest.Wait()
	return x, post
}

// What waits for nothing ends when its token counts no more: the stream of HTTP+SSE, and a
// subscription, with its result.
//
// rows: SEC-113
// revisions: 2026-07-28
func TestNothingToWaitFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newEras(t, newKit(), nethttp.Options{Authenticate: leases(), LegacySSE: true})
		defer b.close()
		old, _ := b.legacy(bearer("ada/1m"))
		sub := b.listens(bearer("ada/1m"))
		time.Sleep(time.Minute - 1)
		synctest.Wait()
		if old.over() || sub.over() {
			t.Fatalf("they have ended early: %s, %s", old.text(), sub.text())
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if !old.over() || !sub.over() || !strings.Contains(sub.text(), `"id":7,"result":{"resultType":"complete"`) {
			t.Errorf("over %v, %v: %s", old.over(), sub.over(), sub.text())
		}
		if b.h.Status().Connections != 0 || b.h.Status().Sessions != 0 {
			t.Errorf("%+v", b.h.Status())
		}
	})
}

// A client that listens under one token after the other gets each message once, in order, whenever
// they are sent and whenever its tokens expire.
//
// rows: SEC-113
func TestListenUnderManyTokens(t *testing.T) {
	for seed := range uint64(40) {
		synctest.Test(t, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			b := newBubble(t, nethttp.Options{Authenticate: leases()})
			defer b.close()
			id, begin := b.open("2025-11-25", bearer("ada/1h")), time.Now()
			var got []string
			ends, last := 0, ""
			var x *response
			read := func() {
				synctest.Wait()
				if x != nil && !x.over() {
					return
				}
				if x != nil {
					for _, n := range numbers.FindAllStringSubmatch(x.text(), -1) {
						got = append(got, n[1])
					}
					if at := x.last(); at != "" {
						last = at
					}
					ends++
				}
				edit := []func(*http.Request){bearer(fmt.Sprint("ada/", time.Since(begin)+time.Duration(1+rnd.IntN(20))*time.Second))}
				if last != "" {
					edit = append(edit, set("Last-Event-Id", last))
				}
				x = b.serve("GET", id, "2025-11-25", "", nil, edit...)
			}
			const messages = 60
			for i := range messages {
				read()
				if rnd.IntN(3) > 0 { // else it comes while nobody may be there
					synctest.Wait()
				}
				if err := b.h.Notify(t.Context(), id, protocol.LoggingMessageParams{Level: "info", Data: protocol.StringValue(fmt.Sprint("n", i))}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Duration(rnd.IntN(5)) * time.Second)
			}
			time.Sleep(time.Minute)
			for range 2 { // the last one may have ended before the last message
				read()
				time.Sleep(time.Minute)
			}
			read()
			for i, n := range got {
				if n != fmt.Sprint(i) {
					t.Fatalf("seed %d: got %v", seed, got)
				}
			}
			if len(got) != messages || ends < 3 {
				t.Errorf("seed %d: %d messages of %d over %d tokens", seed, len(got), messages, ends)
			}
		})
	}
}
