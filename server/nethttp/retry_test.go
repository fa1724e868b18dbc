package nethttp_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// asker is the Companion of a request without a session, in one process: a call asks, and one that brings its state back is
// answered there, at once or, if it is called "own", never.
type asker struct {
	at   string
	peer server.Peer
	seen *seen
}

// seen is what the Companions of a process were asked.
type seen struct {
	mu   sync.Mutex
	list []string
}

func (a *asker) Step(s server.State, now time.Time, out server.Output) (server.State, server.Output, time.Time) {
	var rest server.Output
	for _, ev := range out.Events {
		p, _ := protocol.Decode[protocol.CallToolParams](ev.Body)
		if ev.Kind != lifecycle.RequestReceived {
			continue
		}
		state := rawjson.Text(string(ev.Body), "requestState")
		a.seen.mu.Lock()
		a.seen.list = append(a.seen.list, state)
		a.seen.mu.Unlock()
		answer := server.Answer{Call: ev.Call}
		switch {
		case strings.Contains(string(ev.Body), plain):
			answer.Result = protocol.DecodedResult(plain)
		case state == "":
			answer.Result = &protocol.InputRequired{State: "a call at " + a.at}
		case p.Name == "own":
			continue
		default:
			answer.Result = protocol.TextResult(fmt.Sprintf("%s, answered at %s, to %s of %s", state, a.at, a.peer.Principal, a.peer.Address))
		}
		next, more, err := s.Finish(now, answer)
		if err != nil {
			panic(err)
		}
		s = next
		rest.Merge(more)
	}
	return s, rest, time.Time{}
}

// plain is a result that asks nothing, and a member of the arguments that wants it.
const plain = `{"content":[],"structuredContent":{"requestState":"inner"},"requestState":"outer"}`

func (*asker) Commit()                    {}
func (*asker) Handlers() *server.Handlers { return nil }
func (*asker) Homed() bool                { return true }

// villages are processes whose Companions ask.
type villages struct {
	lan  *lan
	all  []*bubble
	seen []*seen
}

// begin starts a process of that name, with a HashKey.
func (v *villages) begin(t *testing.T, name string, key byte, opt nethttp.Options) *bubble {
	t.Helper()
	s := new(seen)
	opt.Lease = lease
	opt.Internal = nethttp.Internal{URL: "http://" + name, Transport: v.lan}
	opt.Companion = func(p server.Peer) server.Companion { return &asker{name, p, s} }
	cfg := serverConfig
	cfg.Revisions, cfg.HashKey = protocol.AllRevisions(), [16]byte{key}
	k := newKit()
	k.own = []string{"own", "own-fast"}
	h, err := nethttp.NewHandler(cfg, k.handlers(), opt)
	if err != nil {
		t.Fatal(err)
	}
	b := &bubble{t: t, h: h, k: k}
	v.lan.put(name, h.Internal())
	v.all, v.seen = append(v.all, b), append(v.seen, s)
	return b
}

func newVillages(t *testing.T, opt nethttp.Options) (v *villages, a, b *bubble) {
	t.Helper()
	v = &villages{lan: &lan{hosts: map[string]*machine{}}}
	return v, v.begin(t, "a", 1, opt), v.begin(t, "b", 1, opt)
}

func (v *villages) close() {
	for _, b := range v.all {
		b.close()
	}
}

// passed returns how many requests processes have got from others.
func (v *villages) passed() int {
	v.lan.mu.Lock()
	defer v.lan.mu.Unlock()
	return v.lan.sent
}

// asks makes a call, and returns the state that its result has.
func (b *bubble) asks(edit ...func(*http.Request)) string {
	b.t.Helper()
	r := b.alone("tools/call", "own-fast", "", edit...)
	<-r.done
	result, _ := rawjson.Get(strings.TrimSpace(strings.TrimPrefix(r.text(), "data: ")), "result")
	state := rawjson.Text(result, "requestState")
	if state == "" {
		b.t.Fatal(r.status(), r.text())
	}
	return state
}

// retry makes a call again.
func (b *bubble) retry(tool, state string, edit ...func(*http.Request)) *response {
	return b.alone("tools/call", tool, `"inputResponses":{},"requestState":`+string(rawjson.AppendQuote(nil, state))+",", edit...)
}

func asUser(r *http.Request) (nethttp.Principal, error) {
	return nethttp.Principal{ID: r.Header.Get("User")}, nil
}

// A request that is made again reaches the process that asked, whichever gets it, once, and nobody can read there which that is.
//
// rows: MRTR-015
// revisions: 2026-07-28
func TestRetryElsewhere(t *testing.T) {
	for _, after := range []time.Duration{-1, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			v, a, b := newVillages(t, nethttp.Options{StreamAfter: after})
			state := a.asks(from("192.0.2.7:1"))
			for i, at := range []*bubble{a, b, b} {
				r := at.retry("own-fast", state, from("192.0.2.7:1"))
				r.has(t, time.Second, "a call at a, answered at a, to  of 192.0.2.7")
				if <-r.done; r.status() != http.StatusOK || v.passed() != i {
					t.Error(r.status(), v.passed())
				}
			}
			if strings.Contains(state, "http") || len(v.seen[1].list) > 0 {
				t.Error(state, v.seen[1].list)
			}
			v.close()
		})
	}
}

// A result that asks nothing passes as it is, whatever it has.
func TestOtherStatesPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, a, _ := newVillages(t, nethttp.Options{StreamAfter: time.Hour})
		r := a.alone("tools/call", "own-fast", `"arguments":{"give":`+plain+`},`)
		if <-r.done; !strings.Contains(r.text(), `"structuredContent":{"requestState":"inner"}`) || !strings.Contains(r.text(), `"requestState":"outer"`) {
			t.Error(r.text())
		}
		v.close()
	})
}

// What a client brings back that no process with the key gave to its principal, and what is old, is passed on nowhere: the process that gets it has to know it.
//
// rows: MRTR-016 SEC-202 SEC-204
// revisions: 2026-07-28
func TestRetryOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, a, b := newVillages(t, nethttp.Options{StreamAfter: time.Hour, Authenticate: asUser})
		other := v.begin(t, "c", 2, nethttp.Options{StreamAfter: time.Hour, Authenticate: asUser})
		ann, bob := set("User", "ann"), set("User", "bob")
		state := a.asks(ann)
		foreign := func(name string, at *bubble, state string, who func(*http.Request)) {
			t.Helper()
			r := at.retry("own-fast", state, who)
			if <-r.done; !strings.Contains(r.text(), `"text":"`+state+`, answered at `) || v.passed() != 0 {
				t.Error(name, r.status(), r.text(), v.passed())
			}
		}
		foreign("another principal", b, state, bob)
		foreign("another principal, where it belongs", a, state, bob)
		foreign("another key", other, state, ann)
		foreign("the key of others", b, other.asks(ann), ann)
		foreign("what a process says to itself", b, "a call at a", ann)
		foreign("no text", b, "*", ann)
		foreign("short", b, "AAAA", ann)
		foreign("longer", b, state+"AAAA", ann)
		const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
		for i := range state { // one letter changed
			at := strings.IndexByte(letters, state[i])
			foreign(fmt.Sprint("letter ", i), b, state[:i]+letters[at^32:][:1]+state[i+1:], ann)
		}
		b.retry("own-fast", state, ann).has(t, time.Second, "answered at a, to ann")
		time.Sleep(24 * time.Hour)
		before := v.passed()
		r := b.retry("own-fast", state, ann)
		if <-r.done; !strings.Contains(r.text(), "answered at b") || v.passed() != before {
			t.Error("an old one:", r.text())
		}
		v.close()
	})
}

// A client is told that the process that asked is gone, at once if its address says so, and that nobody knows what came
// of its request if it may have been read there.
func TestRetryWhereNobodyIs(t *testing.T) {
	const unknown = `{"outcome":"unknown"}`
	lost := strings.Replace(processLost, `"id":1`, `"id":7`, 1)
	for name, tt := range map[string]struct {
		change func(v *villages, m *machine)
		tool   string
		within time.Duration
		status int
		want   string
	}{
		"dead":           {func(_ *villages, m *machine) { m.refuses = true }, "own-fast", 0, 200, lost},
		"out of reach":   {func(_ *villages, m *machine) { m.off = true }, "own-fast", 0, 503, "has the call cannot be reached; retry after 1s"},
		"behind a proxy": {func(_ *villages, m *machine) { m.behind = true }, "own-fast", 0, 503, unknown},
		"silent":         {func(_ *villages, m *machine) { m.hangs = true }, "own-fast", 2 * lease, 503, unknown},
		"dies meanwhile": {func(_ *villages, m *machine) { m.breaks = true }, "own-fast", 0, 503, unknown},
		"still works":    {func(*villages, *machine) {}, "own", 0, 0, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			v, a, b := newVillages(t, nethttp.Options{StreamAfter: time.Hour})
			state := a.asks()
			v.lan.set("a", func(m *machine) { tt.change(v, m) })
			began := time.Now()
			r := b.retry(tt.tool, state)
			if tt.status == 0 {
				time.Sleep(20 * lease) // it is there, and says so
				if r.over() {
					t.Error(name, r.status(), r.text())
				}
				v.close()
				<-r.done
				return
			}
			if <-r.done; r.status() != tt.status || !strings.Contains(r.text(), tt.want) || time.Since(began) > tt.within {
				t.Error(name, r.status(), r.text(), time.Since(began))
			}
			v.close()
		})
	}
	synctest.Test(t, func(t *testing.T) {
		v, a, b := newVillages(t, nethttp.Options{StreamAfter: time.Hour})
		state := a.asks()
		a.close()
		v.begin(t, "a", 1, nethttp.Options{}) // another process at the same address
		r := b.retry("own-fast", state)
		if <-r.done; r.status() != 200 || !strings.Contains(r.text(), lost) || len(v.seen[2].list) > 0 {
			t.Error("begun anew:", r.status(), r.text())
		}
		v.close()
	})
}

// Whoever has a share of the process that asked has it whichever process gets the requests, and no more.
func TestRetriesCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &villages{lan: &lan{hosts: map[string]*machine{}}}
		a := v.begin(t, "a", 1, nethttp.Options{StreamAfter: time.Hour, Authenticate: asUser, MaxConnections: 4})
		b := v.begin(t, "b", 1, nethttp.Options{StreamAfter: time.Hour, Authenticate: asUser})
		ann, bob := set("User", "ann"), set("User", "bob")
		state, his := a.asks(ann), a.asks(bob)
		var open []*response
		for range 3 {
			open = append(open, b.retry("own", state, ann))
		}
		synctest.Wait()
		r := b.retry("own-fast", state, ann)
		if <-r.done; r.status() != http.StatusServiceUnavailable {
			t.Error(r.status(), r.text())
		}
		b.retry("own-fast", his, bob).has(t, time.Second, "answered at a, to bob")
		for _, r := range open {
			r.cut() // its call ends with it
			<-r.done
		}
		synctest.Wait()
		b.retry("own-fast", state, ann).has(t, time.Second, "answered at a, to ann")
		if n := v.seen[0].list; len(n) != 7 {
			t.Error(n)
		}
		v.close()
	})
}

// A process that loses its lease, or has a store that is away, still has what it asked.
func TestRetryWithoutLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		way := &line{cluster: newCluster()}
		v := &villages{lan: &lan{hosts: map[string]*machine{}}}
		a := v.begin(t, "a", 1, nethttp.Options{StreamAfter: time.Hour, Store: nethttp.NewShared(way)})
		b := v.begin(t, "b", 1, nethttp.Options{StreamAfter: time.Hour, Store: nethttp.NewShared(&line{cluster: way.cluster})})
		state := a.asks()
		way.cut.Store(true)
		time.Sleep(10 * lease)
		b.retry("own-fast", state).has(t, time.Second, "answered at a")
		if err := a.h.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		v.close()
	})
}
