package streams_test

import (
	"cmp"
	"fmt"
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
	id, gen                                                        int
	kept                                                           []*note
	last, written                                                  int
	calls                                                          []uint64
	order                                                          int
	retry                                                          time.Duration
	due                                                            time.Time
	get, batch, begun, primed, on, hung, ended, dead, mixed, strip bool
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
	case l.get && m.opt.Idle > 0:
		l.due = m.now.Add(m.opt.Idle)
	}
}

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
	m.keepFrom(l)
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

func (l *line) known() bool { return l.begun && (l.primed || l.last > 1) }

func (m *naive) begin(l *line) {
	l.begun = true
	l.primed = m.poll && !(l.ended && l.last == 1)
}

// connect gives a GET stream its connection.
func (m *naive) connect(l *line) {
	m.conns++
	l.on, l.hung, l.retry, l.order = true, false, 0, m.conns
	m.keepFrom(l)
	var on []*line
	for _, x := range m.all {
		if x.get && x.on && !x.ended {
			on = append(on, x)
		}
	}
	slices.SortFunc(on, func(a, b *line) int { return cmp.Compare(a.order, b.order) })
	most := m.opt.MaxListeners
	if m.single {
		most = 1
	}
	for len(on) > most {
		m.detach(on[0])
		on = on[1:]
	}
	if b := m.find(0); b != nil {
		m.drop(b)
		for _, e := range b.kept {
			m.put(l, e.text, e.req, e.final)
		}
	}
}

func (m *naive) listen() streams.Conn {
	m.last++
	l := &line{id: int(m.last), gen: 1, last: 1, written: 1, get: true}
	m.begin(l)
	m.all = append(m.all, l)
	m.connect(l)
	return streams.Conn{Stream: streams.ID(l.id), Gen: 1}
}

// resume says what a Last-Event-ID comes to.
func (m *naive) resume(id string) (c streams.Conn, after int, err error) {
	var a, n int
	if k, _ := fmt.Sscanf(id, "%d-%d", &a, &n); k != 2 || fmt.Sprintf("%d-%d", a, n) != id || a < 1 || uint64(a) > m.last {
		return c, 0, streams.ErrEvent
	}
	l := m.find(a)
	if l == nil {
		return c, 0, streams.ErrDropped
	}
	if !l.begun || n < 1 || n > l.last || n == 1 && !l.primed {
		return c, 0, streams.ErrEvent
	}
	if start := l.start(); n < start-1 {
		n, err = start-1, streams.ErrDropped
	}
	l.gen++
	l.written = n
	if l.get && !l.ended {
		m.connect(l)
	} else {
		l.on, l.hung, l.retry = true, false, 0
		m.keepFrom(l)
	}
	return streams.Conn{Stream: streams.ID(l.id), Gen: uint32(l.gen)}, n, err
}

// start is the number of the first note that is kept.
func (l *line) start() int { return l.last - len(l.kept) + 1 }

func (m *naive) of(c streams.Conn) *line {
	if l := m.find(int(c.Stream)); l != nil && l.id != 0 && l.gen == int(c.Gen) {
		return l
	}
	return nil
}

func (m *naive) wrote(c streams.Conn, n int) {
	l := m.of(c)
	if l == nil || l.dead || n < 1 || n <= l.written && l.begun {
		return
	}
	l.written, l.begun = max(min(n, l.last), l.written), true
	m.keepFrom(l)
}

func (m *naive) detach(l *line) {
	had := l.on
	l.on, l.hung, l.retry = false, false, 0
	switch {
	case !had:
	case l.known():
		m.keepFrom(l)
	case len(l.calls) > 0:
		m.lose(l)
		l.kept, l.dead, l.begun, l.mixed, l.written = nil, true, false, false, l.last
	default:
		m.lose(l)
		m.drop(l)
	}
}

func (m *naive) hang(l *line, retry time.Duration) {
	if l.known() {
		l.on, l.hung, l.retry = false, true, retry
	} else {
		l.ended = true
	}
	m.keepFrom(l)
}

func (m *naive) read(c streams.Conn, after int) (events []streams.Event, end streams.End) {
	l := m.of(c)
	if l == nil {
		if m.find(int(c.Stream)) != nil && c.Stream != 0 {
			return nil, streams.Replaced
		}
		return nil, streams.Dropped
	}
	if l.primed && after < 1 {
		events = append(events, streams.Event{N: 1, ID: fmt.Sprintf("%d-1", l.id), Retry: m.opt.Retry})
	}
	after = max(after, 1)
	if after < l.start()-1 {
		return events, streams.Dropped
	}
	for _, e := range l.kept {
		if e.n > after {
			events = append(events, streams.Event{N: e.n, ID: fmt.Sprintf("%d-%d", l.id, e.n), Data: e.text})
		}
	}
	switch {
	case l.ended:
		return events, streams.Ended
	case l.hung:
		if l.retry > 0 {
			events = append(events, streams.Event{N: max(after, l.last), Retry: l.retry})
		}
		return events, streams.HungUp
	case !l.on:
		return nil, streams.Replaced
	}
	return events, streams.Open
}

// tick gives up what is due, the earliest first.
func (m *naive) tick() {
	for {
		var due *line
		for _, l := range m.all {
			if t := l.when(); !t.IsZero() && !t.After(m.now) && (due == nil || t.Before(due.when())) {
				due = l
			}
		}
		if due == nil {
			return
		}
		l := due
		switch {
		case l.id == 0:
			m.miss(l.kept[0])
			if l.kept = l.kept[1:]; len(l.kept) == 0 {
				m.drop(l)
			}
		case l.ended:
			m.lose(l)
			m.drop(l)
		case !l.on:
			m.drop(l)
			for _, e := range l.kept {
				if e.n > l.written {
					m.put(m.listening(), e.text, e.req, e.final)
				}
			}
		default:
			m.hang(l, m.opt.Retry)
		}
	}
}

// when is when a line is due; zero for never.
func (l *line) when() time.Time {
	if l.id == 0 {
		return l.kept[0].due
	}
	return l.due
}

// weigh returns what a line counts.
func (l *line) weigh() (plain, unread int) {
	for _, e := range l.kept {
		if e.final && l.written < l.last {
			unread += e.size()
		} else {
			plain += e.size()
		}
	}
	if l.ended || l.get && !l.on {
		plain += 256
	}
	return plain, unread
}

// rank says how early the front of a line is taken.
func (l *line) rank() int {
	if len(l.kept) == 0 || l.kept[0].n <= l.written {
		switch {
		case l.ended:
			return 0
		case !l.on:
			return 1
		}
		return 2
	}
	switch {
	case l.kept[0].final:
		return 7
	case l.on:
		return 6
	case l.ended:
		return 3
	case l.id == 0:
		return 4
	}
	return 5
}

// fit makes the limits hold; mild takes only what was written.
func (m *naive) fit(mild bool) {
	for {
		plain, unread := m.bytes()
		overPlain := plain > m.opt.MaxBytes
		if !overPlain && (mild || unread <= m.opt.MaxAnswers) {
			return
		}
		var best *line
		worse := func(a, b *line) bool {
			if overPlain {
				return a.rank() < b.rank()
			}
			return !a.on && b.on
		}
		for _, l := range m.all {
			p, u := l.weigh()
			if overPlain && p == 0 || !overPlain && u == 0 || mild && l.rank() > 2 {
				continue
			}
			if m.newest != nil && len(l.kept) == 1 && l.kept[0] == m.newest && l.written < l.last {
				continue
			}
			if best == nil || worse(l, best) {
				best = l
			}
		}
		if best == nil {
			if !overPlain || mild {
				return
			}
			overPlain = false
			if unread <= m.opt.MaxAnswers {
				return
			}
			m.fitAnswers()
			return
		}
		m.cut(best, !overPlain)
	}
}

// fitAnswers is fit where nothing is left to take for MaxBytes.
func (m *naive) fitAnswers() {
	for {
		_, unread := m.bytes()
		if unread <= m.opt.MaxAnswers {
			return
		}
		var best *line
		for _, l := range m.all {
			_, u := l.weigh()
			if u == 0 || m.newest != nil && len(l.kept) == 1 && l.kept[0] == m.newest && l.written < l.last {
				continue
			}
			if best == nil || !l.on && best.on {
				best = l
			}
		}
		if best == nil {
			return
		}
		m.cut(best, true)
	}
}

func (m *naive) cut(l *line, toAnswer bool) {
	if len(l.kept) == 0 {
		m.drop(l)
		return
	}
	for len(l.kept) > 0 {
		e := l.kept[0]
		l.kept = l.kept[1:]
		if e.n > l.written {
			m.miss(e)
		}
		if !toAnswer || e.final {
			break
		}
	}
	if len(l.kept) == 0 && (l.id == 0 || l.ended) {
		m.drop(l)
	}
}

func (m *naive) bytes() (plain, unread int) {
	for _, l := range m.all {
		p, u := l.weigh()
		plain, unread = plain+p, unread+u
	}
	return plain, unread
}

// next is when a tick is due.
func (m *naive) next() (first time.Time) {
	for _, l := range m.all {
		if t := l.when(); !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}
