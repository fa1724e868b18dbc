package client_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

const (
	asks   = `"resultType":"input_required",`
	askTwo = `"inputRequests":{"n":{"method":"elicitation/create","params":{"_meta":{"progressToken":5},"message":"m","requestedSchema":{"type":"object","properties":{}}}},` +
		`"r":{"method":"roots/list","params":{}}}`
	decline = protocol.Raw(`{"action":"decline"}`)
	noRoots = protocol.Raw(`{"roots":[]}`)
)

// ledger is an asker that counts how often each request and each question ended.
type ledger struct {
	*asker
	now   time.Time
	ended map[string]int // by "req" and the keys of questions with their round
	open  map[client.Call]string
	sent  []string
	close int
}

// newLedger has a call on its way, whose progress restarts its time, and answers roots/list itself.
func newLedger(t *testing.T) *ledger {
	t.Helper()
	b := &ledger{asker: newAsker(t), now: began, ended: map[string]int{}, open: map[client.Call]string{}}
	b.cfg.Serve = append(b.cfg.Serve, protocol.MethodRootsList)
	b.cfg.Limits.Progress = lifecycle.Rate{PerSecond: 1, Burst: 2}
	var err error
	if b.c, err = client.New(b.cfg, began); err != nil {
		t.Fatal(err)
	}
	if b.c, _, err = b.c.Connect(began, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`); err != nil {
		t.Fatal(err)
	}
	s, o, err := b.c.Request(began, protocol.CallToolParams{Name: "t"}, client.RequestOptions{ResetOnProgress: true})
	b.req = o.Req
	b.step(s, o, err)
	return b
}

// step takes a transition over, and holds it to Check, to its Snapshot and to the books.
func (b *ledger) step(s client.State, o client.Output, err error) client.Output {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
	b.c = s
	if err := s.Check(); err != nil {
		b.t.Fatal(err)
	}
	back, err := client.Restore(b.cfg, s.Snapshot(), b.now)
	if err != nil || string(back.Snapshot()) != string(s.Snapshot()) {
		b.t.Fatalf("%v\n%s", err, s.Snapshot())
	}
	if b.close > 0 && len(o.Send) > 0 {
		b.t.Errorf("after the close action: %s", sent(o))
	}
	b.sent = append(b.sent, sent(o)...)
	for _, ev := range o.Events {
		switch {
		case ev.Kind == lifecycle.RequestReceived:
			b.open[ev.Call] = fmt.Sprint(ev.ID, len(b.open))
		case (ev.Kind == lifecycle.RequestFailed || ev.Kind == lifecycle.ResponseReceived) && ev.Req == b.req:
			b.ended["req"]++
		case ev.Kind == lifecycle.RequestLost || ev.Kind == lifecycle.RequestExpired || ev.Kind == lifecycle.RequestCancelled:
			b.ended[b.open[ev.Call]]++
		}
	}
	if o.Close != nil {
		b.close++
	}
	return o
}

func (b *ledger) receive(format string, args ...any) client.Output {
	b.t.Helper()
	s, o := b.c.Receive(b.now, jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0",`+format+`}`, args...)))
	return b.step(s, o, nil)
}

// question returns the open question of a key.
func (b *ledger) question(key string) client.Call {
	for info := range b.c.Inbound() {
		if id, _ := info.ID.Str(); strings.HasSuffix(id, " "+key) {
			return info.Call
		}
	}
	return client.Call{}
}

// answer answers an open question, or finds that it has ended.
func (b *ledger) answer(key string, r protocol.Raw) {
	b.t.Helper()
	call := b.question(key)
	s, o, err := b.c.Respond(b.now, call, r)
	if call.IsZero() {
		if !errors.Is(err, lifecycle.ErrGone) {
			b.t.Error(err)
		}
		return
	}
	b.ended[b.open[call]]++
	b.step(s, o, err)
}

// id is the wire id that the request goes by.
func (b *ledger) id() int {
	for info := range b.c.Outbound() {
		n, _ := info.ID.Int64()
		return int(n)
	}
	return 0
}

// stages are where a request can be, each from the one before.
var stages = []struct {
	name string
	come func(b *ledger)
}{
	{"on its way", func(b *ledger) {}},
	{"reported", func(b *ledger) {
		b.receive(`"method":"notifications/progress","params":{"progressToken":%d,"progress":7}`, b.id())
	}},
	{"asking", func(b *ledger) { b.receive(`"id":%d,"result":{%s%s}`, b.id(), asks, askTwo) }},
	{"half answered", func(b *ledger) { b.answer("n", decline) }},
	{"made again", func(b *ledger) { b.answer("r", noRoots) }},
	{"reported again", func(b *ledger) {
		b.receive(`"method":"notifications/progress","params":{"progressToken":%d,"progress":1}`, b.id())
	}},
	{"with state alone", func(b *ledger) { b.receive(`"id":%d,"result":{%s"requestState":"s"}`, b.id(), asks) }},
	{"asking again", func(b *ledger) { b.receive(`"id":%d,"result":{%s%s}`, b.id(), asks, askTwo) }},
}

// Whatever happens in whatever round, the request ends once, each of its questions ends once and not
// after it, nothing of the State contradicts itself, and a State that is restored is the same.
//
// rows: MRTR-031 MRTR-032 MRTR-033 MRTR-036 MRTR-042 CANC-204 SUBS-016 PROG-204
// revisions: 2026-07-28
func TestEveryRoundEnds(t *testing.T) {
	after := func(d time.Duration) func(b *ledger) {
		return func(b *ledger) {
			b.now = b.now.Add(d)
			s, o := b.c.Tick(b.now)
			b.step(s, o, nil)
		}
	}
	for name, do := range map[string]func(b *ledger){
		"a second": after(time.Second), "a minute": after(time.Minute), "ten minutes": after(10 * time.Minute), "an hour": after(time.Hour),
		"input closed": func(b *ledger) { s, o := b.c.InputClosed(b.now); b.step(s, o, nil) },
		"shut down":    func(b *ledger) { s, o := b.c.Shutdown(b.now, 0); b.step(s, o, nil) },
		"shut down with grace": func(b *ledger) {
			s, o := b.c.Shutdown(b.now, time.Minute)
			b.step(s, o, nil)
		},
		"lost":          func(b *ledger) { s, o := b.c.Disconnected(b.now, nil); b.step(s, o, nil) },
		"aborted":       func(b *ledger) { s, o := b.c.Abort(b.now, nil); b.step(s, o, nil) },
		"cancelled":     func(b *ledger) { s, o, err := b.c.Cancel(b.now, b.req, "x"); b.step(s, o, err) },
		"not sent":      func(b *ledger) { s, o := b.c.SendFailed(b.now, b.req, nil); b.step(s, o, nil) },
		"response lost": func(b *ledger) { s, o := b.c.ResponseLost(b.now, b.req, nil); b.step(s, o, nil) },
		"replaced": func(b *ledger) {
			s, o, err := b.c.Request(b.now, protocol.ListToolsParams{}, client.RequestOptions{Replaces: b.req})
			b.step(s, o, err)
		},
		"question abandoned": func(b *ledger) { s, o := b.c.Abandon(b.now, b.question("r")); b.step(s, o, nil) },
		"question refused": func(b *ledger) {
			if call := b.question("n"); !call.IsZero() {
				b.ended[b.open[call]]++
				s, o, err := b.c.Finish(b.now, client.Answer{Call: call, Result: protocol.Raw(`{}`)})
				if err == nil {
					b.t.Error("no result of a form")
				}
				b.step(s, o, nil)
			}
		},
		"question answered": func(b *ledger) { b.answer("n", decline); b.answer("r", noRoots) },
		"progress of a question": func(b *ledger) {
			s, o, err := b.c.Progress(b.now, b.question("n"), protocol.ProgressParams{Progress: 1})
			b.maybe(s, o, err)
		},
		"the server cancels a question": func(b *ledger) {
			b.receive(`"method":"notifications/cancelled","params":{"requestId":"%d n"}`, b.req.Seq())
		},
		"the server cancels": func(b *ledger) { b.receive(`"method":"notifications/cancelled","params":{"requestId":%d}`, b.id()) },
		"late progress": func(b *ledger) {
			b.receive(`"method":"notifications/progress","params":{"progressToken":1,"progress":9}`)
		},
		"the first id again": func(b *ledger) { b.receive(`"id":1,"result":{"content":[]}`) },
		"an error":           func(b *ledger) { b.receive(`"id":%d,"error":{"code":-1,"message":"m"}`, b.id()) },
		"asks what it may not": func(b *ledger) {
			b.receive(`"id":%d,"result":{%s"inputRequests":{"p":{"method":"ping"}}}`, b.id(), asks)
		},
		"asks twice": func(b *ledger) { b.receive(`"id":%d,"result":{%s%s}`, b.id(), asks, askTwo) },
		"something within a question": func(b *ledger) {
			if call := b.question("r"); !call.IsZero() {
				s, o, err := b.c.Request(b.now, protocol.ListToolsParams{}, client.RequestOptions{Within: call, Maximum: 3 * time.Hour, Timeout: 3 * time.Hour})
				b.step(s, o, err)
			}
		},
	} {
		for last := range stages {
			t.Run(name+"/"+stages[last].name, func(t *testing.T) {
				b := newLedger(t)
				for _, stage := range stages[:last+1] {
					stage.come(b)
				}
				asking, due := !b.question("r").IsZero(), b.deadline()
				do(b)
				if was := b.c.Phase() == lifecycle.Ready && strings.HasPrefix(name, "late"); was && b.deadline() != due && (asking || stages[last].name != "on its way" && stages[last].name != "reported") {
					t.Errorf("late progress changes the time from %v to %v", due, b.deadline())
				}
				for range 3 { // nothing is left after the last maximum
					b.now = b.now.Add(time.Hour)
					s, o := b.c.Tick(b.now)
					b.step(s, o, nil)
				}
				if s := b.c.Status(); b.ended["req"] != 1 || s.Outbound != 0 || s.Inbound != 0 {
					t.Errorf("the request ended %d times, %+v", b.ended["req"], s)
				}
				for _, key := range b.open {
					if b.ended[key] != 1 {
						t.Errorf("question %s ended %d times", key, b.ended[key])
					}
				}
				for _, text := range b.sent {
					if strings.Contains(text, `"method":"notifications/progress"`) || !strings.Contains(text, `"method"`) {
						t.Errorf("a client without a session sends %s", text)
					}
				}
			})
		}
	}
}

// maybe is step for a verb that may find its call gone.
func (b *ledger) maybe(s client.State, o client.Output, err error) {
	b.t.Helper()
	if !errors.Is(err, lifecycle.ErrGone) {
		b.step(s, o, err)
	}
}

// deadline is when the request is given up.
func (b *ledger) deadline() time.Time {
	for info := range b.c.Outbound() {
		return info.Deadline
	}
	return time.Time{}
}
