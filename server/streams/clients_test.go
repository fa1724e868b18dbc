package streams_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// clients are drivers and clients that follow the protocol: connections write what they read,
// tell so before they go, and come back with the id of the last event that the client has got,
// over a network that may lose the end of what was written.
type clients struct {
	t       rapid.TB
	single  bool
	readers []*reader
	letters map[string]*letter // by text
	streams map[uint64]int     // of calls
	cut     map[int]bool       // streams that a client has no id of and no connection
}

// letter is a message on its way.
type letter struct {
	stream   int // the one it has to come on; 0 for a GET stream
	response bool
	got      int
	network  bool // it was written and did not arrive
}

// reader is the response to one GET or POST, however often it is resumed.
type reader struct {
	conn     streams.Conn
	listener bool
	written  int
	arrived  int // the number of the last event that the client has
	open     bool
	done     bool // nothing more will come: the client knows
}

// sent notes what goes out.
func (c *clients) sent(out server.Output) {
	if c == nil {
		return
	}
	for _, o := range out.Send {
		text := string(jsonrpc.Append(nil, o.Message))
		l := &letter{response: o.Message.Kind == jsonrpc.KindResult || o.Message.Kind == jsonrpc.KindError}
		if !c.single {
			l.stream = c.streams[o.Call.Seq()]
		}
		if c.letters[text] != nil {
			c.t.Fatalf("%s is sent twice", text)
		}
		c.letters[text] = l
	}
	for call := range out.EndedCalls() {
		delete(c.streams, call.Seq())
	}
}

// posted notes a POST and its response.
func (c *clients) posted(p *pair, out server.Output, r streams.Reply) {
	if c == nil {
		return
	}
	if r.Conn.Stream != 0 {
		for call := range out.OpenedCalls() {
			c.streams[call.Seq()] = int(r.Conn.Stream)
		}
		c.readers = append(c.readers, &reader{conn: r.Conn, open: true})
	}
	if r.Body == nil {
		c.sent(out)
		return
	}
	for _, o := range out.Send {
		if o.Direct {
			c.letters[string(jsonrpc.Append(nil, o.Message))] = &letter{response: true}
		}
	}
	rest := out
	rest.Send = nil
	for _, o := range out.Send {
		if !o.Direct {
			rest.Send = append(rest.Send, o)
		}
	}
	c.sent(rest)
	c.body(r.Body)
}

func (c *clients) listens(conn streams.Conn) {
	if c != nil {
		c.readers = append(c.readers, &reader{conn: conn, listener: true, open: true})
	}
}

// arrives takes in one message at the client.
func (c *clients) arrives(text string, r *reader) {
	l := c.letters[text]
	switch {
	case l == nil:
		c.t.Fatalf("nobody sent %s", text)
	case l.got > 0:
		c.t.Fatalf("%s comes again", text)
	case r != nil && l.stream != 0 && int(r.conn.Stream) != l.stream:
		c.t.Fatalf("%s comes on stream %d, not %d", text, r.conn.Stream, l.stream)
	case r != nil && l.stream == 0 && !r.listener:
		c.t.Fatalf("%s comes on the stream of a POST", text)
	case r != nil && l.response && r.listener && !c.single:
		c.t.Fatalf("the response %s comes on a GET stream", text)
	}
	l.got++
}

// body takes in a JSON response.
func (c *clients) body(body []byte) {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) != nil {
		list = []json.RawMessage{body}
	}
	for _, one := range list {
		c.arrives(string(one), nil)
	}
}

// write writes up to most events of a reader, of which the last lose do not arrive, and
// closes if that was the end or something was lost.
func (c *clients) write(p *pair, r *reader, most, lose int) {
	if !r.open {
		return
	}
	if body, ok := p.x.Answer(r.conn); ok {
		c.body(body)
		p.answered(r.conn)
		r.open, r.done = false, true
		return
	}
	p.begin(r.conn)
	events, end := p.x.Read(r.conn, r.written)
	n := min(most, len(events))
	for i, e := range events[:n] {
		if i < n-lose {
			if e.Data != "" {
				c.arrives(e.Data, r)
			}
			r.arrived = max(r.arrived, e.N)
		} else if e.Data != "" {
			c.letters[e.Data].network = true
		}
		r.written = e.N
	}
	if n > 0 {
		p.wrote(r.conn, r.written)
	}
	closes := end != streams.Open && n == len(events)
	r.done = closes && end == streams.Ended && lose == 0
	if closes || lose > 0 {
		p.detach(r.conn)
		r.open = false
		c.cut[int(r.conn.Stream)] = r.arrived == 0
	}
}

// back lets a client come back for the rest of a stream.
func (c *clients) back(p *pair, r *reader) {
	if r.open || r.done {
		return
	}
	conn, after, err := p.resume(fmt.Sprintf("%d-%d", r.conn.Stream, r.arrived))
	switch {
	case conn.Stream == 0:
		r.done = true
		return
	case err == nil && after != r.arrived, err != nil && !errors.Is(err, streams.ErrDropped):
		c.t.Fatalf("resumed after %d, not %d: %v", after, r.arrived, err)
	}
	r.conn, r.written, r.arrived, r.open = conn, after, after, true
}

// TestClients: whatever the order, a client that follows the protocol gets every message
// once and on its stream, but for those that are reported as lost and those that the network
// lost for good.
func TestClients(t *testing.T) {
	for range rounds() / 5 {
		rapid.Check(t, checkClients)
	}
}

func checkClients(t *rapid.T) {
	opt := streams.Options{
		MaxBytes:     rapid.SampledFrom([]int{0, 0, 2000}).Draw(t, "bytes"),
		MaxAnswers:   rapid.SampledFrom([]int{0, 0, 700}).Draw(t, "answers"),
		MaxListeners: rapid.SampledFrom([]int{0, 2}).Draw(t, "listeners"),
	}
	revision := rapid.SampledFrom([]string{"2025-11-25", "2025-11-25", "2025-03-26"}).Draw(t, "revision")
	p := newPair(t, revision, false, opt)
	c := &clients{t: t, letters: map[string]*letter{}, streams: map[uint64]int{}, cut: map[int]bool{}}
	p.cl = c
	call := func() (call server.Call) {
		if list := p.inbound(); len(list) > 0 {
			call = rapid.SampledFrom(list).Draw(t, "call").Call
		}
		return call
	}
	some := func(do func(r *reader)) {
		if len(c.readers) > 0 {
			do(rapid.SampledFrom(c.readers).Draw(t, "reader"))
		}
	}
	log := func(within server.Call) {
		text := jsonrpc.Raw(fmt.Sprintf("%q", fmt.Sprint("log", p.id())))
		p.does(p.s.Notify(p.m.now, protocol.LoggingMessageParams{Level: "info", Data: text}, within))
	}
	elicit := func(within server.Call) {
		form := protocol.ElicitSchema{Properties: []protocol.Property{}}
		p.does(p.s.Request(p.m.now, protocol.ElicitParams{Message: "?", RequestedSchema: form}, server.RequestOptions{Within: within}))
	}
	t.Repeat(map[string]func(*rapid.T){
		"call":  func(*rapid.T) { p.post(callText(p.id(), "wait")) },
		"now":   func(*rapid.T) { p.post(callText(p.id(), "now")) },
		"talk":  func(*rapid.T) { p.post(callText(p.id(), "talk")) },
		"batch": func(t *rapid.T) { p.post(p.batch(t)) },
		"cancel": func(*rapid.T) {
			if list := p.inbound(); len(list) > 0 {
				p.post(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%v}}`, list[0].ID))
			}
		},
		"progress": func(*rapid.T) {
			p.does(p.s.Progress(p.m.now, call(), protocol.ProgressParams{Progress: float64(p.id())}))
		},
		"respond":        func(*rapid.T) { p.does(p.s.Respond(p.m.now, call(), protocol.TextResult(fmt.Sprint(p.id())))) },
		"log":            func(*rapid.T) { log(server.Call{}) },
		"log within":     func(*rapid.T) { log(call()) },
		"elicit":         func(*rapid.T) { elicit(server.Call{}) },
		"elicit within":  func(*rapid.T) { elicit(call()) },
		"hang up":        func(*rapid.T) { p.hangUp(call(), 0) },
		"listen":         func(*rapid.T) { p.listen() },
		"restore":        func(*rapid.T) { p.restore() },
		"tick":           func(*rapid.T) { p.tick(time.Second) },
		"write":          func(t *rapid.T) { some(func(r *reader) { c.write(p, r, rapid.IntRange(0, 3).Draw(t, "most"), 0) }) },
		"write all":      func(t *rapid.T) { some(func(r *reader) { c.write(p, r, 100, 0) }) },
		"write and lose": func(t *rapid.T) { some(func(r *reader) { c.write(p, r, 100, rapid.IntRange(1, 3).Draw(t, "lose")) }) },
		"cut": func(*rapid.T) {
			some(func(r *reader) {
				if r.open {
					p.detach(r.conn)
					r.open = false
				}
			})
		},
		"half open": func(*rapid.T) { some(func(r *reader) { r.open = false }) }, // the server does not know yet
		"back":      func(*rapid.T) { some(func(r *reader) { c.back(p, r) }) },
		"back too":  func(*rapid.T) { some(func(r *reader) { c.back(p, r) }) },
	})
	// In the end the server learns who is gone, everybody comes back, and reads all there is.
	for _, r := range c.readers {
		if !r.open {
			p.detach(r.conn)
			c.cut[int(r.conn.Stream)] = r.arrived == 0 // without an id nobody can
		}
	}
	for round := range 4 {
		for _, r := range c.readers {
			if !r.open && r.arrived > 0 {
				c.back(p, r)
			}
			c.write(p, r, 100, 0)
		}
		p.listen()
		if round == 2 {
			p.tick(2 * time.Minute) // what was not written on a GET stream that is not resumed goes to another
		}
	}
	missing := 0
	for text, l := range c.letters {
		if l.got == 0 && !l.network && !(l.stream > 0 && c.cut[l.stream]) {
			if missing++; missing > p.lost {
				t.Fatalf("%s never came, and %d are lost in all", text, p.lost)
			}
		}
	}
}
