package nethttp_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// answers is a value that a Companion of a test is: it answers the calls of tools that begin with
// "own", after as many wakes as the arguments say, and counts.
type answers struct {
	open  []held
	taken int           // of the inbox
	asked server.Req    // a request of its own
	told  []string      // what the Outputs had
	wake  time.Duration // when it wants to be called again
}

type held struct {
	call server.Call
	tool string
}

// aside is the Companion of a session; its value changes by commit alone.
type aside struct {
	k    *sides
	id   string
	who  server.Peer
	a    answers
	gen  int // commits
	news []string
	next func() // what Commit does
}

// sides are the Companions of a handler.
type sides struct {
	mu    sync.Mutex
	all   map[string]*aside
	steps int // Step ran so often
	made  int // Companions
	bad   []string
	over  map[string]string // the phases that sessions ended in
}

// ownKit has tools that the Companions answer.
func ownKit() *kit {
	k := newKit()
	k.own = []string{"own", "own-fast", "own-timed", "own-ask", "own-lone"}
	return k
}

func newSides() *sides { return &sides{all: map[string]*aside{}, over: map[string]string{}} }

func (k *sides) companion(who server.Peer) server.Companion {
	id := who.Session
	k.mu.Lock()
	defer k.mu.Unlock()
	k.made++
	k.all[id] = &aside{k: k, id: id, who: who}
	return k.all[id]
}

// news hands something to a session from elsewhere.
func (k *sides) news(id, text string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.all[id].news = append(k.all[id].news, text)
}

// of looks at the value of a session.
func (k *sides) of(id string) (a answers, gen int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if b := k.all[id]; b != nil {
		return b.a, b.gen
	}
	return answers{}, -1
}

func (b *aside) Step(s server.State, now time.Time, out server.Output) (server.State, server.Output, time.Time) {
	b.k.mu.Lock()
	defer b.k.mu.Unlock()
	b.k.steps++
	a, news, gen := b.a, slices.Clone(b.news), b.gen
	a.open, a.told = slices.Clone(a.open), slices.Clone(a.told)
	var rest server.Output
	add := func(next server.State, o server.Output, err error) {
		if err != nil {
			a.told = append(a.told, "error "+err.Error())
			return
		}
		s = next
		rest.Merge(o)
	}
	if len(out.Send) > 0 {
		b.k.bad = append(b.k.bad, "messages are shown")
	}
	var ended string
	for _, ev := range out.Events {
		p, _ := protocol.Decode[protocol.CallToolParams](ev.Body)
		switch {
		case ev.Kind == lifecycle.RequestReceived && strings.HasPrefix(p.Name, "own"):
			a.told = append(a.told, "call "+p.Name)
			if p.Name == "own-fast" {
				next, o, err := s.Respond(now, ev.Call, protocol.TextResult("at once"))
				add(next, o, err)
				continue
			}
			a.open = append(a.open, held{ev.Call, p.Name})
			if p.Name == "own-timed" {
				a.wake = 60 * time.Millisecond
			}
			if p.Name == "own-ask" || p.Name == "own-lone" {
				opt := server.RequestOptions{}
				if p.Name == "own-ask" {
					opt.Within = ev.Call
				}
				next, o, err := s.Request(now, protocol.CreateMessageParams{Messages: []protocol.SamplingMessage{}, MaxTokens: 1}, opt)
				add(next, o, err)
				a.asked = o.Req
				if p.Name == "own-lone" { // a second one, for which the first may have to give way
					next, o, err := s.Request(now, protocol.CreateMessageParams{Messages: []protocol.SamplingMessage{}, MaxTokens: 2}, opt)
					add(next, o, err)
				}
			}
			continue
		case ev.Kind == lifecycle.RequestCancelled || ev.Kind == lifecycle.RequestLost:
			a.told = append(a.told, ev.Kind.String())
			a.open = slices.DeleteFunc(a.open, func(h held) bool { return h.call.Seq() == ev.Call.Seq() })
		case (ev.Kind == lifecycle.ResponseReceived || ev.Kind == lifecycle.RequestFailed) && ev.Req.Seq() == a.asked.Seq() && !a.asked.IsZero():
			a.told = append(a.told, ev.Kind.String())
			for _, h := range a.open {
				next, o, err := s.Respond(now, s.Call(h.call.Seq(), h.call.Key()), protocol.TextResult(ev.Kind.String()))
				add(next, o, err)
			}
			a.open, a.asked = nil, server.Req{}
			continue
		case ev.Kind == lifecycle.PhaseChanged && ev.To >= lifecycle.Disconnected:
			ended = ev.To.String()
		}
		rest.Events = append(rest.Events, ev)
	}
	rest.Close = out.Close
	for _, text := range news {
		a.taken++
		for _, h := range a.open {
			next, o, err := s.Respond(now, s.Call(h.call.Seq(), h.call.Key()), protocol.TextResult(text))
			add(next, o, err)
		}
		a.open = nil
	}
	var wake time.Time
	switch {
	case a.wake > 0:
		wake, a.wake = now.Add(a.wake), -1
	case a.wake < 0:
		a.wake = 0
		for _, h := range a.open {
			next, o, err := s.Respond(now, s.Call(h.call.Seq(), h.call.Key()), protocol.TextResult("in time"))
			add(next, o, err)
		}
		a.open = nil
	}
	b.next = func() {
		b.k.mu.Lock()
		defer b.k.mu.Unlock()
		if b.gen != gen {
			b.k.bad = append(b.k.bad, fmt.Sprintf("the step of %d is committed at %d", gen, b.gen))
		}
		b.gen++
		b.a = a
		b.news = b.news[len(news):]
		if ended != "" {
			b.k.over[b.id] = ended
		}
	}
	return s, rest, wake
}

func (b *aside) Commit() { b.next() }

func (b *aside) Handlers() *server.Handlers { return nil }

func (k *sides) sound(t *testing.T) {
	t.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, text := range k.bad {
		t.Error(text)
	}
}
