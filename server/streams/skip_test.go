package streams_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// forks are the histories of a session whose store loses turns now and then: each goes on from an older state of
// another. They are one session to its client.
type forks struct {
	t      *testing.T
	rnd    *rand.Rand
	events map[string]string       // by their ids
	given  map[string]bool         // numbers of calls and requests, connections
	conns  map[uint64]streams.Conn // of the calls
}

func (f *forks) give(what string, n any) {
	f.t.Helper()
	if name := fmt.Sprint(what, n); f.given[name] {
		f.t.Fatal(name, " is given twice")
	} else {
		f.given[name] = true
	}
}

// saw notes all that can be read.
func (f *forks) saw(d *session, c streams.Conn) {
	f.t.Helper()
	events, _ := d.x.Read(c, 0)
	for _, e := range events {
		if e.ID == "" {
			continue
		}
		if was, ok := f.events[e.ID]; ok && was != e.Data {
			f.t.Fatalf("event %s is %q, and was %q", e.ID, e.Data, was)
		}
		f.events[e.ID] = e.Data
	}
}

// step does something in a history.
func (f *forks) step(d *session, n int) {
	f.t.Helper()
	var open []server.Call
	for info := range d.s.Inbound() {
		open = append(open, info.Call)
	}
	switch x := f.rnd.IntN(10); {
	case x < 2 || len(open) == 0:
		call, c := d.call(1000+n, "wait")
		f.give("call ", call.Seq())
		f.give("connection ", c)
		f.conns[call.Seq()] = c
		d.begin(c)
	case x < 4:
		d.progress(open[f.rnd.IntN(len(open))], n)
	case x < 6:
		f.give("request ", d.elicit(open[f.rnd.IntN(len(open))]).Seq())
	case x < 7:
		d.respond(open[f.rnd.IntN(len(open))], fmt.Sprint("answer ", n))
	case x < 8:
		f.give("connection ", d.listen())
	default:
		d.log(fmt.Sprint("message ", n))
	}
	for _, c := range f.conns {
		f.saw(d, c)
	}
}

// back has the client come back with each id that it ever saw: it goes on behind that very event, or is told that it
// is gone.
func (f *forks) back(d *session) {
	f.t.Helper()
	for id, data := range f.events {
		c, n, err := d.resume(id)
		switch {
		case err == nil:
			f.give("connection ", c)
			if events, _ := d.x.Read(c, n-1); n > 1 && (len(events) == 0 || events[0].ID != id || events[0].Data != data) {
				f.t.Fatalf("after %s of %q come %v", id, data, events)
			}
		case !errors.Is(err, streams.ErrDropped) && !errors.Is(err, streams.ErrEvent):
			f.t.Fatal(err)
		}
	}
}

// Whatever a store loses, however often: no event id names two events, no Conn two connections, no number two calls or
// two requests; and who comes back with an id of what was lost is told.
func TestSkip(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 30
	}
	for seed := range rounds {
		f := &forks{t: t, rnd: rand.New(rand.NewPCG(uint64(seed), 1)), events: map[string]string{}, given: map[string]bool{}, conns: map[uint64]streams.Conn{}}
		d := open(t, "2025-11-25", streams.Options{Keep: 1000 * time.Hour})
		kept := []session{*d}
		histories := []*session{d}
		for n := range 60 {
			d := histories[f.rnd.IntN(len(histories))]
			f.step(d, n)
			switch x := f.rnd.IntN(12); {
			case x < 5:
				kept = append(kept, *d)
			case x == 5 && len(histories) < 8:
				next := kept[f.rnd.IntN(len(kept))]
				by := f.rnd.Uint64N(server.MaxSkip)
				next.s, next.x = next.s.Skip(next.now, by), next.x.Skip(by)
				if err := errors.Join(next.s.Check(), next.x.Check()); err != nil {
					t.Fatal(err)
				}
				histories = append(histories, &next)
			case x == 6:
				f.back(d)
			}
		}
		for _, d := range histories {
			f.back(d)
			s, err := server.Restore(d.cfg, d.s.Snapshot(), d.now)
			if err != nil {
				t.Fatal(err)
			}
			x, err := streams.Restore(streams.Options{Keep: 1000 * time.Hour}, d.x.Snapshot(), s, d.now)
			if err != nil || string(x.Snapshot()) != string(d.x.Snapshot()) {
				t.Fatalf("%v\n%s\n%s", err, x.Snapshot(), d.x.Snapshot())
			}
		}
	}
}

// Numbers do not run out, as often as a store may lose turns.
func TestSkipForEver(t *testing.T) {
	d := open(t, "2025-11-25", streams.Options{})
	call, _ := d.call(1, "wait")
	for range 20_000 {
		d.s, d.x = d.s.Skip(d.now, server.MaxSkip), d.x.Skip(server.MaxSkip)
	}
	d.elicit(call)
	d.call(2, "wait")
	if err := errors.Join(d.s.Check(), d.x.Check()); err != nil {
		t.Fatal(err)
	}
	if _, err := server.Restore(d.cfg, d.s.Snapshot(), d.now); err != nil {
		t.Fatal(err)
	}
}

// A forged snapshot has no impossible cuts.
func TestSkipForged(t *testing.T) {
	d := open(t, "2025-11-25", streams.Options{})
	_, c := d.call(1, "wait")
	d.begin(c)
	d.s, d.x = d.s.Skip(d.now, 5), d.x.Skip(5)
	good := string(d.x.Snapshot())
	for _, bad := range []string{`"at":0`, `"at":2`, `"by":9007199254740993`, `"gen":2`} {
		name, _, _ := strings.Cut(bad, ":")
		_, rest, ok := strings.Cut(good, `"cuts":[`)
		if !ok {
			t.Fatal(good)
		}
		_, tail, _ := strings.Cut(rest, name+":")
		value, _, _ := strings.Cut(tail, ",")
		value, _, _ = strings.Cut(value, "}")
		data := strings.Replace(good, name+":"+value, bad, 1)
		if name == `"gen"` { // that of the stream stands first
			at := strings.Index(good, `"cuts":[`)
			data = good[:at] + strings.Replace(good[at:], name+":"+value, bad, 1)
		}
		if _, err := streams.Restore(streams.Options{}, []byte(data), d.s, d.now); err == nil || data == good {
			t.Errorf("%s: %v\n%s", bad, err, data)
		}
	}
}
