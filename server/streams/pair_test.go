package streams_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// pair is a Streams and its naive twin beside one State, and the clients that read them.
type pair struct {
	t       rapid.TB
	cfg     server.Config
	h       *server.Handlers
	opt     streams.Options
	s       server.State
	x       streams.Streams
	m       naive
	ids     int // of requests of the client, and of texts
	was     map[streams.Conn]view
	last    streams.Streams // after the last step
	at      time.Time       // when it changed last
	seen    []streams.Conn  // all that there ever were
	cl      *clients        // who follow the protocol, if any do
	lost    int             // messages so far
	ticking bool
}

// view is what a connection reads after what was written.
type view struct {
	after int
	text  string
}

func newPair(t rapid.TB, revision string, single bool, opt streams.Options) *pair {
	cfg, h := config()
	s, err := server.New(cfg, t0)
	if err != nil {
		t.Fatal(err)
	}
	p := &pair{t: t, cfg: cfg, h: h, opt: opt, s: s, x: streams.New(opt)}
	p.m = naive{opt: naiveOptions(opt), single: single, now: t0}
	if single {
		p.x = streams.NewSingle(opt)
	}
	p.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{"elicitation":{},"sampling":{}},"clientInfo":{"name":"c","version":"1"}}}`, revision))
	p.m.poll = revision == "2025-11-25"
	p.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return p
}

// naiveOptions fills the defaults in, as they are documented.
func naiveOptions(o streams.Options) streams.Options {
	pick := func(d *time.Duration, preset time.Duration) {
		if *d == 0 {
			*d = preset
		}
		*d = max(*d, 0)
	}
	pick(&o.Keep, 2*time.Minute)
	if o.Grace == 0 {
		o.Grace = 3 * time.Second
	}
	pick(&o.Retry, time.Second)
	if o.MaxBytes <= 0 {
		o.MaxBytes = 4 << 20
	}
	if o.MaxAnswers <= 0 {
		o.MaxAnswers = 16 << 20
	}
	if o.MaxListeners == 0 {
		o.MaxListeners = 8
	}
	return o
}

// took compares what a step came to. mild is Wrote, which loses nothing.
func (p *pair) took(eff streams.Effects, mild bool) {
	p.t.Helper()
	awaited := map[uint64]bool{}
	for _, e := range eff.Output.Events {
		if e.Kind == lifecycle.RequestFailed && e.Cause != nil && errors.Is(e.Cause.Err, streams.ErrDropped) {
			awaited[e.Req.Seq()] = true
		}
	}
	if p.x != p.last { // what does nothing gives up nothing
		p.m.fit(mild)
		if eff.Output.Close != nil && !p.m.over { // the last request of a session that ends could fail
			p.m.sent(server.Output{Close: eff.Output.Close}, p.s, nil)
			if p.ticking {
				p.m.tick(nil)
			}
			p.m.fit(mild)
		}
		p.at = p.m.now
	}
	p.last = p.x
	if len(eff.Output.Send) > 0 {
		p.t.Fatal("messages to send")
	}
	if p.lost += eff.Lost; eff.Lost != p.m.lost {
		p.t.Fatalf("%d messages are lost, want %d", eff.Lost, p.m.lost)
	}
	for req := range p.s.Outbound() {
		if slices.Contains(p.m.failing, req.Req.Seq()) {
			p.t.Fatalf("request %v was given up and is awaited", req)
		}
	}
	for seq := range awaited {
		if !slices.Contains(p.m.failing, seq) {
			p.t.Fatalf("request %d has failed, and its message is there", seq)
		}
	}
	if err := p.x.Check(); err != nil {
		p.t.Fatal(err)
	}
	plain, unread := p.m.bytes()
	if p.x.Bytes() != plain+unread {
		p.t.Fatalf("%d bytes are kept, want %d", p.x.Bytes(), plain+unread)
	}
	due, ok := p.x.NextDeadline()
	if want := p.m.next(); ok != !want.IsZero() || ok && !due.Equal(want) {
		p.t.Fatalf("due at %v, want %v", due, want)
	}
	is := map[streams.Conn]view{}
	for _, c := range p.seen {
		var v view
		l := p.m.find(int(c.Stream))
		for after := -1; after < 9; after++ {
			p.same(c, after)
		}
		if l != nil {
			for after := max(l.start()-2, 9); after <= l.last+1; after++ {
				p.same(c, after)
			}
			v.after = l.written
		}
		read := func(after int) string {
			events, end := p.x.Read(c, after)
			return fmt.Sprint(events, end)
		}
		// Who has been told to close waits for nothing.
		if was, ok := p.was[c]; ok && was.text != "[] ended" && !strings.HasSuffix(was.text, "replaced") && !strings.HasSuffix(was.text, "dropped") && was.text != read(was.after) && !slices.Contains(eff.Touched, c.Stream) && !mild {
			p.t.Fatalf("stream %d reads another thing and was not touched:\n%s\n%s", c.Stream, was.text, read(was.after))
		}
		v.text = read(v.after)
		is[c] = v
	}
	p.was = is
}

func (p *pair) same(c streams.Conn, after int) {
	p.t.Helper()
	got, end := p.x.Read(c, after)
	want, wantEnd := p.m.read(c, after)
	if end != wantEnd || len(got)+len(want) > 0 && !slices.Equal(got, want) {
		p.t.Fatalf("%+v after %d: %v %v, want %v %v", c, after, got, end, want, wantEnd)
	}
	body, ok := p.x.Answer(c)
	l := p.m.of(c)
	if plain := l != nil && l.on && !l.begun && !l.mixed && (!l.ended || l.last > 1); p.x.Plain(c) != plain {
		p.t.Fatalf("%+v: plain %v", c, !plain)
	}
	whole := l != nil && l.on && l.ended && !l.begun && !l.mixed && len(l.kept) > 0 && l.start() == 2
	if ok != whole || whole && !bytes.Equal(body, l.body()) {
		p.t.Fatalf("%+v: answer %s %v, want %v", c, body, ok, whole)
	}
}

// post posts a message.
func (p *pair) post(text string) streams.Reply {
	p.t.Helper()
	m := jsonrpc.Decode([]byte(text))
	s, out := p.h.Receive(p.s, p.m.now, m)
	p.m.step()
	want := p.m.post(m, out, s)
	x, s, got, eff := p.x.Post(s, p.m.now, m, out)
	p.x, p.s = x, s
	if diff := cmp.Diff(want, got); diff != "" {
		p.t.Fatalf("reply to %s: %s", text, diff)
	}
	if eff.Output.Opened != out.Opened || eff.Output.Fate != out.Fate || len(eff.Output.Events) < len(out.Events) {
		p.t.Fatal("the Output is not handed on")
	}
	if got.Conn.Stream != 0 {
		p.seen = append(p.seen, got.Conn)
	}
	p.took(eff, false)
	p.cl.posted(p, out, got)
	return got
}

// does hands in what came of a verb of the State. Its refusal is no fault.
func (p *pair) does(s server.State, out server.Output, err error) {
	p.t.Helper()
	if err != nil {
		return
	}
	p.m.step()
	p.m.sent(out, s, nil)
	p.cl.sent(out)
	var eff streams.Effects
	p.x, p.s, eff = p.x.Handle(s, p.m.now, out)
	p.took(eff, false)
}

func (p *pair) id() int { p.ids++; return p.ids }

// inbound returns the open calls.
func (p *pair) inbound() (list []lifecycle.CallInfo) { return slices.Collect(p.s.Inbound()) }

func (p *pair) listen() (c streams.Conn, ok bool) {
	p.t.Helper()
	x, s, c, eff, err := p.x.Listen(p.s, p.m.now)
	if p.m.over {
		if !errors.Is(err, lifecycle.ErrPhase) {
			p.t.Fatal(err)
		}
		return c, false
	}
	p.m.step()
	if want := p.m.listen(); err != nil || want != c {
		p.t.Fatalf("listen: %v, want %v (%v)", c, want, err)
	}
	p.x, p.s = x, s
	p.seen = append(p.seen, c)
	p.took(eff, false)
	p.cl.listens(c)
	return c, true
}

func (p *pair) resume(id string) (c streams.Conn, n int, err error) {
	p.t.Helper()
	x, s, c, n, eff, err := p.x.Resume(p.s, p.m.now, id)
	p.m.step()
	want, after, wantErr := p.m.resume(id)
	if c != want || n != after || !errors.Is(err, wantErr) {
		p.t.Fatalf("resume %q: %v %d %v, want %v %d %v", id, c, n, err, want, after, wantErr)
	}
	p.x, p.s = x, s
	if c.Stream != 0 {
		p.seen = append(p.seen, c)
	}
	p.took(eff, false)
	return c, n, err
}

func (p *pair) detach(c streams.Conn) {
	p.t.Helper()
	p.m.step()
	if l := p.m.of(c); l != nil && (l.on || l.hung) {
		p.m.detach(l)
	}
	var eff streams.Effects
	p.x, p.s, eff = p.x.Detach(p.s, p.m.now, c)
	p.took(eff, false)
}

func (p *pair) wrote(c streams.Conn, n int) {
	p.t.Helper()
	p.m.step()
	p.m.wrote(c, n)
	p.x = p.x.Wrote(p.m.now, c, n)
	p.took(streams.Effects{}, true)
}

func (p *pair) begin(c streams.Conn) {
	p.t.Helper()
	p.m.step()
	if l := p.m.of(c); l != nil && l.on && !l.begun {
		p.m.begin(l)
	}
	var eff streams.Effects
	p.x, p.s, eff = p.x.Begin(p.s, p.m.now, c)
	p.took(eff, false)
}

func (p *pair) answered(c streams.Conn) {
	p.t.Helper()
	p.m.step()
	if _, ok := p.x.Answer(c); ok {
		p.m.drop(p.m.of(c))
	}
	var eff streams.Effects
	p.x, p.s, eff = p.x.Answered(p.s, p.m.now, c)
	eff.Touched = append(eff.Touched, c.Stream)
	p.took(eff, false)
}

func (p *pair) hangUp(call server.Call, retry time.Duration) {
	p.t.Helper()
	x, s, eff, err := p.x.HangUp(p.s, p.m.now, call, retry)
	p.m.step()
	var l *line
	for _, x := range p.m.all {
		if slices.Contains(x.calls, call.Seq()) {
			l = x
		}
	}
	switch {
	case l == nil:
		if !errors.Is(err, lifecycle.ErrGone) {
			p.t.Fatal(err)
		}
	case !l.on:
		if err != nil {
			p.t.Fatal(err)
		}
	case !l.begun && !p.m.poll && l.last == 1, l.begun && !l.known():
		if !errors.Is(err, lifecycle.ErrRevision) {
			p.t.Fatal(err)
		}
	default:
		if err != nil {
			p.t.Fatal(err)
		}
		if !l.begun {
			p.m.begin(l)
		}
		if retry == 0 {
			retry = p.m.opt.Retry
		}
		p.m.hang(l, max(retry, 0))
	}
	p.x, p.s = x, s
	p.took(eff, false)
}

func (p *pair) tick(by time.Duration) {
	p.t.Helper()
	p.m.now = p.m.now.Add(by)
	p.m.step()
	state := p.s
	p.m.tick(func(seq uint64) {
		for info := range state.Inbound() {
			if info.Call.Seq() == seq {
				next, out := state.Abandon(p.m.now, info.Call)
				state = next
				p.cl.sent(out)
				p.m.sent(out, state, nil)
				return
			}
		}
	})
	var eff streams.Effects
	p.x, p.s, eff = p.x.Tick(p.s, p.m.now)
	p.ticking = true
	p.took(eff, false)
	p.ticking = false
	if due, ok := p.x.NextDeadline(); ok && !due.After(p.m.now) {
		p.t.Fatalf("after Tick(%v) the next deadline is %v", p.m.now, due)
	}
	p.does3(p.s.Tick(p.m.now))
}

func (p *pair) does3(s server.State, out server.Output) { p.t.Helper(); p.does(s, out, nil) }

// restore takes the whole session through its snapshots.
func (p *pair) restore() {
	p.t.Helper()
	data, more := p.s.Snapshot(), p.x.Snapshot()
	s, err := server.Restore(p.cfg, data, p.m.now)
	if err != nil {
		p.t.Fatal(err)
	}
	x, err := streams.Restore(p.opt, more, s, p.at) // as if no time had passed since
	if err != nil {
		p.t.Fatalf("%v\n%s", err, more)
	}
	if again := x.Snapshot(); !bytes.Equal(more, again) {
		p.t.Fatalf("another snapshot:\n%s\n%s", more, again)
	}
	p.s, p.x, p.last = s, x, x
	p.m.step()
	p.took(streams.Effects{}, false)
}
