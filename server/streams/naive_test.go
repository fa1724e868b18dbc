package streams_test

import (
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// naive is what Streams does, written with slices and loops and without a thought for cost.
// It looks at what the State says, not at what Streams makes of it.
type naive struct {
	opt    streams.Options // filled
	single bool
	poll   bool // the revision primes
	now    time.Time
	all    []*line // by id; the backlog has id 0
	last   uint64  // id
	conns  int     // of GET streams, in their order
	seq    uint64  // the newest call
	before uint64  // the newest one before the last POST
	over   bool

	lost    int      // in this step
	failing []uint64 // requests that were lost in this step
	newest  *note    // of this step
}

// line is one stream.
type line struct {
	id, gen                                                 int
	kept                                                    []*note
	last, written                                           int
	calls                                                   []uint64
	order                                                   int
	retry                                                   time.Duration
	due                                                     time.Time
	get, batch, begun, primed, on, hung, ended, dead, mixed bool
}

// note is one message.
type note struct {
	n     int
	text  string
	req   uint64
	final bool
	due   time.Time
}

func (e *note) size() int { return len(e.text) + 128 }

func (m *naive) find(id int) *line {
	for _, l := range m.all {
		if l.id == id {
			return l
		}
	}
	return nil
}

func (m *naive) drop(l *line) {
	m.all = slices.DeleteFunc(m.all, func(x *line) bool { return x == l })
}

func (m *naive) step() { m.lost, m.failing, m.newest = 0, nil, nil }

// keepFrom sets when a line is given up if nothing happens any more.
func (m *naive) keepFrom(l *line) {
	l.due = time.Time{}
	switch {
	case l.id == 0:
	case l.ended || l.get && !l.on:
		l.due = m.now.Add(m.opt.Keep)
	case l.lonely() && l.dead:
		if m.opt.Grace >= 0 {
			l.due = m.now.Add(m.opt.Grace)
		}
	case l.lonely():
		l.due = m.now.Add(m.opt.Keep + l.retry)
	case l.get && m.opt.Idle > 0:
		l.due = m.now.Add(m.opt.Idle)
	}
}

// lonely reports whether calls are open that nobody listens to.
func (l *line) lonely() bool { return len(l.calls) > 0 && !l.on }

func (m *naive) lose(l *line) {
	for _, e := range l.kept {
		if e.n > l.written {
			m.miss(e)
		}
	}
}

func (m *naive) miss(e *note) {
	m.lost++
	if e.req != 0 {
		m.failing = append(m.failing, e.req)
	}
}

// listening returns the GET stream that was connected last, or the backlog.
func (m *naive) listening() *line {
	var best *line
	for _, l := range m.all {
		if l.get && l.on && !l.ended && (best == nil || l.order > best.order) {
			best = l
		}
	}
	if best != nil {
		return best
	}
	if l := m.find(0); l != nil {
		return l
	}
	l := &line{get: true, last: 1, written: 1}
	m.all = append([]*line{l}, m.all...)
	return l
}

func (m *naive) put(l *line, text string, req uint64, final bool) {
	e := &note{text: text, req: req, final: final}
	if l.dead {
		m.miss(e)
		return
	}
	l.last++
	e.n, e.due = l.last, m.now.Add(m.opt.Keep)
	l.kept = append(l.kept, e)
	l.mixed = l.mixed || !final
	if !l.lonely() {
		m.keepFrom(l)
	}
	m.newest = e
}

// sent takes in what a step of the State came to: its messages, and then what ended. mine
// takes what belongs to the message just posted.
func (m *naive) sent(out server.Output, s server.State, mine func(o server.Outgoing) *line) {
	for _, o := range out.Send {
		response := o.Message.Kind == jsonrpc.KindResult || o.Message.Kind == jsonrpc.KindError
		var to *line
		if m.single {
			to = m.listening()
		} else if mine != nil {
			to = mine(o)
		}
		if to == nil {
			for _, l := range m.all {
				if o.Call.Seq() != 0 && slices.Contains(l.calls, o.Call.Seq()) {
					to = l
				}
			}
		}
		if to == nil && response {
			m.lost++
			continue
		}
		if to == nil {
			to = m.listening()
		}
		req := uint64(0)
		if o.Message.Kind == jsonrpc.KindRequest {
			req = o.Req.Seq()
		}
		m.put(to, string(jsonrpc.Append(nil, o.Message)), req, response)
	}
	open := map[uint64]bool{}
	for c := range s.Inbound() {
		open[c.Call.Seq()] = true
	}
	for _, l := range slices.Clone(m.all) {
		had := len(l.calls)
		l.calls = slices.DeleteFunc(l.calls, func(seq uint64) bool { return !open[seq] })
		if had > 0 && len(l.calls) == 0 {
			m.end(l)
		}
	}
	if p := s.Phase(); out.Close != nil || p == lifecycle.Disconnected || p == lifecycle.Failed {
		m.over = true
		for _, l := range slices.Clone(m.all) {
			if l.id == 0 {
				m.lose(l)
				m.drop(l)
			} else if !l.ended {
				l.calls = nil
				m.end(l)
			}
		}
	}
}

func (m *naive) end(l *line) {
	l.ended = true
	m.keepFrom(l)
	if l.dead {
		m.drop(l)
	}
}

// post returns the response that is due to a POST. before has the calls that were open.
func (m *naive) post(msg jsonrpc.Message, out server.Output, s server.State) streams.Reply {
	newest := m.seq
	m.before = newest
	for c := range s.Inbound() {
		m.seq = max(m.seq, c.Call.Seq())
	}
	var direct, within, cancelled int
	for _, o := range out.Send {
		m.seq = max(m.seq, o.Call.Seq())
		switch {
		case o.Direct:
			direct++
		case o.Call.Seq() > newest:
			within++
		}
	}
	for _, ev := range out.Events {
		if ev.Kind == lifecycle.RequestCancelled && ev.Call.Seq() > newest {
			m.seq = max(m.seq, ev.Call.Seq())
			cancelled++
		}
	}
	l := &line{id: int(m.last + 1), gen: 1, last: 1, written: 1, on: true, batch: msg.Kind == jsonrpc.KindBatch}
	for c := range s.Inbound() {
		if c.Call.Seq() > newest {
			l.calls = append(l.calls, c.Call.Seq())
		}
	}
	mine := func(o server.Outgoing) *line {
		if o.Direct || o.Call.Seq() > newest {
			return l
		}
		return nil
	}
	switch {
	case m.single:
		m.sent(out, s, nil)
		return streams.Reply{Status: 202}
	case out.Fate == lifecycle.FateRefused:
		var body []byte
		rest := out
		rest.Send = nil
		for _, o := range out.Send {
			if o.Direct {
				body = []byte(strings.Replace(string(jsonrpc.Append(nil, o.Message)), `"id":null,`, "", 1))
			} else {
				rest.Send = append(rest.Send, o)
			}
		}
		m.sent(rest, s, nil)
		return streams.Reply{Status: 400, Body: body}
	case len(l.calls)+direct+within+cancelled == 0:
		m.sent(out, s, nil)
		return streams.Reply{Status: 202}
	}
	m.all = append(m.all, l)
	m.last++
	if len(l.calls) == 0 { // else sent sees it end
		l.calls = []uint64{1 << 50}
	}
	m.sent(out, s, mine)
	if l.ended && !l.mixed && len(l.kept) > 0 {
		m.drop(l)
		if !l.batch {
			m.last-- // it needs no stream
		}
		return streams.Reply{Status: 200, Body: l.body()}
	}
	return streams.Reply{Status: 200, Conn: streams.Conn{Stream: streams.ID(l.id), Gen: 1}}
}

// body returns the notes as a JSON body.
func (l *line) body() []byte {
	var texts []string
	for _, e := range l.kept {
		texts = append(texts, e.text)
	}
	if !l.batch {
		return []byte(texts[0])
	}
	return []byte("[" + strings.Join(texts, ",") + "]")
}
