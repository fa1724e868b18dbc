package model_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/model"
	"github.com/sansmcp/mcp/conformance/model/randomly"
	"github.com/sansmcp/mcp/conformance/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// reader folds a Mirror over a client whose server is a library, and keeps its own books
// of what the Mirror should know.
type reader struct {
	t     failer
	d     model.Source
	lib   *library
	s     client.State
	m     client.Mirror
	lists []string
	now   time.Time
	clock int // counts events and requests, to tell what came before what

	own      map[lifecycle.Req]string // open requests of the Mirror, with their list
	book     map[string]*shelf
	interval time.Duration // of the Mirror
	past     []keptMirror
	log      []string
	reads    int // listings that came to their end
}

type keptMirror struct {
	m    client.Mirror
	text string
}

// TestMirror folds a Mirror over the client of a server that changes its lists at random
// moments, pages them at random, fails at random and takes its time, with other requests
// and other events in between. There is never more than one request for a list on its
// way, and a change alone does not make it read a list again before its interval is over,
// but then. A list is fresh exactly if it was read from its beginning after the last change
// that was announced and the session is ready, and it is what the server has once nothing
// is on its way and nothing failed. Its items are those of all pages of the last listing
// that came to its end, each once, or of the last that did not, where none did. Whatever is
// not the Mirror's passes through as it came, and old Mirrors stay as they were.
func TestMirror(t *testing.T) {
	reads := 0
	randomly.Check(t, func(src model.Source) error {
		return caught(func(t failer) { reads += newReader(t, src).run() })
	})
	if reads < 20 {
		t.Errorf("only %d listings came to their end", reads)
	}
}

func newReader(t failer, src model.Source) *reader {
	r := &reader{
		t: t, d: src, lib: newLibrary(src), now: model.Origin, lists: someLists(src),
		own: map[lifecycle.Req]string{}, book: map[string]*shelf{},
	}
	for _, list := range r.lists {
		r.book[list] = &shelf{}
	}
	rev := []protocol.Revision{protocol.Revision20250618, protocol.Revision20250326}[src.Intn(2)]
	r.lib.revision = rev
	cfg := client.Config{
		Info: protocol.Implementation{Name: "c", Version: "1"}, Revisions: []protocol.Revision{rev}, Limits: lifecycle.Limits{Outbound: 3 + src.Intn(4)},
	}
	var err error
	if r.s, err = client.New(cfg, r.now); err != nil {
		t.Fatal(err)
	}
	if r.m, err = client.NewMirror(r.lists...); err != nil {
		t.Fatal(err)
	}
	if src.Intn(4) == 3 {
		r.m.MaxPages = 3
	}
	r.m.MinInterval = []time.Duration{lifecycle.NoTimeout, 0, 7 * time.Second, 50 * time.Second}[src.Intn(4)]
	switch r.interval = r.m.MinInterval; r.interval {
	case 0:
		r.interval = time.Second
	case lifecycle.NoTimeout:
		r.interval = 0
	}
	return r
}

func (r *reader) run() int {
	r.begin()
	for range 60 {
		r.step()
	}
	r.lib.reliable = true
	if r.s.Phase() != lifecycle.Ready {
		r.begin()
	}
	r.m.MaxPages = 0
	r.now = r.now.Add(time.Hour) // what nobody answers is given up
	r.take(r.s.Tick(r.now))
	r.drain()
	r.current(false)
	for _, list := range r.lists { // one by one: all at once may be over the limit
		r.lib.change(list)
		r.drain()
	}
	r.current(true)
	for i, k := range r.past {
		if model.Render(k.m) != k.text {
			r.fatal("the Mirror before step %d has changed", i)
		}
	}
	return r.reads
}

// begin opens a session.
func (r *reader) begin() {
	if r.s.Phase() != lifecycle.Uninitialized {
		r.take(r.s.Disconnected(r.now, nil))
		r.s, _ = r.s.Reset(r.now)
	}
	s, out, err := r.s.Initialize(r.now)
	if err != nil {
		r.t.Fatal(err)
	}
	r.lib.forget()
	r.take(s, out)
	r.lib.answer(len(r.lib.asked) - 1)
	r.deliver(1)
}

func (r *reader) step() {
	switch choice := r.d.Intn(20); {
	case choice < 6:
		r.deliver(1 + r.d.Intn(3))
	case choice < 11 && len(r.lib.asked) > 0:
		r.lib.answer(r.d.Intn(len(r.lib.asked)))
	case choice < 14:
		r.lib.change(listMethods[r.d.Intn(len(listMethods))])
	case choice == 14:
		next := r.now.Add(time.Duration(r.d.Intn(40)) * time.Second)
		if at, ok := r.m.NextDeadline(); ok && r.d.Intn(2) == 0 {
			next = at.Add(-time.Duration(r.d.Intn(2)))
		}
		r.now = next
		r.take(r.s.Tick(r.now))
	case choice == 15:
		name := []string{"ping", "tools/list", "prompts/list"}[r.d.Intn(3)]
		if s, out, err := r.s.Request(r.now, protocol.RawRequest{Name: name}, lifecycle.RequestOptions{}); err == nil {
			r.take(s, out)
		}
	case choice == 16:
		for req := range r.s.Outbound() { // the oldest did not get out, whoever made it
			r.take(r.s.SendFailed(r.now, req.Req, nil))
			break
		}
	case choice == 17:
		list := r.lists[r.d.Intn(len(r.lists))]
		r.m = r.m.Invalidate(list)
		r.clock++
		b := r.book[list]
		b.announced, b.failed, b.urgent = r.clock, false, true
	case choice == 18 && r.d.Intn(4) == 3:
		r.begin()
	case choice == 19:
		r.take(r.s, lifecycle.Output{})
	}
}

// deliver gives the client up to n messages of the library: as a batch where there are any.
func (r *reader) deliver(n int) {
	if n = min(n, len(r.lib.line)); n == 0 {
		return
	}
	if r.s.Revision() != protocol.Revision20250326 {
		n = 1
	}
	if r.d.Intn(4) == 3 {
		// Another course of things leaves nothing behind.
		text := r.lib.line[len(r.lib.line)-1]
		for req := range r.s.Outbound() {
			if list, mine := r.own[req.Req]; mine && r.d.Intn(2) == 1 {
				text = `{"jsonrpc":"2.0","id":` + req.ID.String() + `,"result":{"` + itemTexts[list][0] + `":[` + fmt.Sprintf(itemTexts[list][1], 0) + `],"nextCursor":"other"}}`
			}
		}
		other, _, _ := r.m.Handle(r.s.Receive(r.now, jsonrpc.DecodeString(text)))
		r.past = append(r.past, keptMirror{other, model.Render(other)})
	}
	text := oneText(r.lib.line[:n])
	r.lib.line = r.lib.line[n:]
	r.take(r.s.Receive(r.now, jsonrpc.DecodeString(text)))
}

func (r *reader) drain() {
	for range 10_000 {
		switch {
		case len(r.lib.asked) > 0:
			r.lib.answer(0)
		case len(r.lib.line) > 0:
			r.deliver(1)
		case slices.ContainsFunc(r.lists, func(list string) bool { _, fresh := r.m.Items(list); return !fresh && !r.book[list].failed }):
			if at, ok := r.m.NextDeadline(); ok {
				r.now = at
			}
			r.take(r.s.Tick(r.now)) // also after Invalidate
		default:
			return
		}
	}
	r.fatal("the Mirror does not come to rest")
}

// take gives an Output to the Mirror and checks what it makes of it.
func (r *reader) take(next client.State, out lifecycle.Output) {
	r.past = append(r.past, keptMirror{r.m, model.Render(r.m)})
	given := model.Render(out)
	m, s, got := r.m.Handle(next, out)
	r.log = append(r.log, trace(session.Client(s), got, nil))
	if model.Render(out) != given {
		r.fatal("the Output was changed: %s", given)
	}
	r.m, r.s = m, s
	r.heard(out, got)
	r.sent(out, got)
	if err := s.Check(); err != nil {
		r.t.Fatal(err)
	}
	r.there()
	r.due()
}

// current checks that what the Mirror has is what the library has, if nothing is on its
// way: of all lists, or of those that did not fail.
func (r *reader) current(all bool) {
	for _, list := range r.lists {
		items, fresh := r.m.Items(list)
		if !all && r.book[list].failed || !r.lib.has[list] {
			continue
		}
		if !fresh || !slices.Equal(items, r.lib.items[list]) {
			r.fatal("%s: %s, fresh %v; the server has %s", list, items, fresh, r.lib.items[list])
		}
	}
}

func (r *reader) fatal(format string, args ...any) {
	r.t.Fatalf(format+"\n%s", append(args, strings.Join(r.log, "\n"))...)
}
