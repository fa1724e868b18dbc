package worlds

import (
	"errors"
	"slices"
	"strconv"

	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/conformance/explore"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/sse"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// The driver of the server, modeled on server/nethttp: it passes arriving messages to the State and
// the Streams, and writes messages to the connections.

func (w *web) id() string { return "s" + strconv.Itoa(w.nth) }

// field returns a header of the request of an exchange.
func field(x exchange.Exchange, name string) string {
	for _, f := range x.Fields() {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

// arrive handles a request at the server. The answer to a copy is not read.
func (x *webScope) arrive(w *web, i int, process uint8, isCopy bool, r *explore.Report) {
	k := &w.talks[i]
	op := k.x.Op()
	head, body := exchange.Head{Status: 404}, ""
	var so *sock
	opens := op == headers.OpPost && k.o.Message.Method == "initialize"
	if opens {
		w.nth++
		w.live, w.socks, w.posted, w.runs = true, nil, nil, nil
		w.s, w.x = must(server.New(x.server0, w.now)), streams.New(x.streams)
	}
	var e streams.Effects
	var err error
	switch here := w.live && (opens || field(k.x, headers.Session) == w.id()); {
	case !here:
	case op == headers.OpPost:
		text := string(jsonrpc.Append(nil, k.o.Message))
		m := jsonrpc.DecodeString(text)
		if m.Kind == jsonrpc.KindRequest {
			if slices.Contains(w.posted, text) {
				r.Fail("a request is posted twice")
			}
			w.posted = append(slices.Clip(w.posted), text)
		}
		s, out := w.s.Receive(w.now, m)
		x.told(out, r)
		x.started(w, out, process)
		var reply streams.Reply
		w.x, w.s, reply, e = w.x.Post(s, w.now, m, out)
		w.lost += e.Lost
		head = exchange.Head{Status: reply.Status}
		switch {
		case reply.Body != nil:
			head.ContentType, body = "application/json", string(reply.Body)
		case reply.Conn != streams.Conn{}:
			if so = (&sock{c: reply.Conn, json: x.json}); !x.json {
				w.x, w.s, e = w.x.Begin(w.s, w.now, reply.Conn)
				head.ContentType = "text/event-stream"
			}
		}
		if opens {
			head.Session = w.id()
		}
	case op == headers.OpListen:
		var c streams.Conn
		if w.x, w.s, c, e, err = w.x.Listen(w.s, w.now); err != nil {
			head = exchange.Head{Status: 405}
			break
		}
		so, head = &sock{c: c}, exchange.Head{Status: 200, ContentType: "text/event-stream"}
	case op == headers.OpResume:
		var c streams.Conn
		var after int
		w.x, w.s, c, after, e, err = w.x.Resume(w.s, w.now, field(k.x, headers.LastEventID))
		switch {
		case c != streams.Conn{}:
			if err != nil && !x.lossy {
				r.Fail("a resumption has a gap: %v", err)
			}
			so, head = &sock{c: c, after: after}, exchange.Head{Status: 200, ContentType: "text/event-stream"}
		case errors.Is(err, streams.ErrDropped):
			r.Reach("a resumption comes too late")
			head = exchange.Head{Status: 410}
		case w.n[nLose] > 1:
			r.Reach("an event id was lost")
			head = exchange.Head{Status: 400}
		default:
			r.Fail("an event id that the client has is not known")
			head = exchange.Head{Status: 400}
		}
	}
	if so != nil {
		so.conn, so.alive, so.owner = k.conn, !isCopy, process
		w.socks = append(w.socks, *so)
	}
	if !isCopy {
		if k.at, k.head, k.body = headed, head, body; so != nil && so.json {
			k.at = pending
		}
	}
	x.effects(w, e, r)
}

// told checks the events of the server.
func (x *webScope) told(out server.Output, r *explore.Report) {
	if x.watch != nil {
		x.watch(true, &out)
		return
	}
	for _, ev := range out.Events {
		what := "server " + ev.Kind.String()
		switch ev.Kind {
		case lifecycle.Violation:
			if what += " " + ev.Rule; ev.Rule != "LIFE-014" { // a repeated initialized does no harm
				r.Fail("the server blames the client: %s %s", ev.Rule, ev.Method)
			}
		case lifecycle.Ignored:
			what += " " + ev.Rule
		}
		r.Reach(what)
	}
}

// server handles an Output of the server.
func (x *webScope) server(w *web, s server.State, out server.Output, r *explore.Report) {
	x.told(out, r)
	var e streams.Effects
	w.x, w.s, e = w.x.Handle(s, w.now, out)
	x.effects(w, e, r)
}

// effects records losses, and writes to the connections until nothing is new.
func (x *webScope) effects(w *web, e streams.Effects, r *explore.Report) {
	w.lost += e.Lost
	again := true
	for n := 0; again && n < most; n++ {
		again = false
		for i := 0; i < len(w.socks); i++ {
			news, over := x.write(w, i)
			if again = again || news || over; over {
				c := w.socks[i].c
				json := w.socks[i].json
				w.socks = slices.Delete(w.socks, i, i+1)
				i--
				if json {
					w.x, w.s, e = w.x.Answered(w.s, w.now, c)
				} else {
					w.x, w.s, e = w.x.Detach(w.s, w.now, c)
				}
				w.lost += e.Lost
			}
		}
	}
	if again {
		r.Fail("there is always something new to read")
	}
}

// reader returns the exchange that reads a connection, or nil.
func (w *web) reader(so *sock) *talk {
	for i := range w.talks {
		if w.talks[i].conn == so.conn && so.alive {
			return &w.talks[i]
		}
	}
	return nil
}

// write writes to a connection. It reports whether there was something new, and whether it is over.
func (x *webScope) write(w *web, i int) (news, over bool) {
	so := &w.socks[i]
	k := w.reader(so)
	if so.json {
		body, ok := w.x.Answer(so.c)
		if ok && k != nil {
			k.at, k.head, k.body = headed, exchange.Head{Status: 200, ContentType: "application/json"}, string(body)
		}
		return false, ok
	}
	events, end := w.x.Read(so.c, so.after)
	for _, v := range events {
		if k != nil {
			k.pipe = append(slices.Clip(k.pipe), sse.Event{ID: v.ID, HasID: v.ID != "", Data: v.Data, HasRetry: v.Retry > 0, Retry: v.Retry})
		}
		so.after = v.N
	}
	if len(events) > 0 {
		w.x = w.x.Wrote(w.now, so.c, so.after)
	}
	if end != streams.Open && k != nil {
		k.eof = true
	}
	return len(events) > 0, end != streams.Open
}

// begin begins the stream of a late answer.
func (x *webScope) begin(w *web, i int, r *explore.Report) {
	so := &w.socks[i]
	so.json = false
	if k := w.reader(so); k != nil && k.at == pending {
		k.at, k.head = headed, exchange.Head{Status: 200, ContentType: "text/event-stream"}
	}
	var e streams.Effects
	w.x, w.s, e = w.x.Begin(w.s, w.now, so.c)
	x.effects(w, e, r)
}

// hangUp asks the client of a call to disconnect and return.
func (x *webScope) hangUp(w *web, i int, r *explore.Report) bool {
	y, s, e, err := w.x.HangUp(w.s, w.now, inboundOf(w.s, i).Call, 0)
	if err != nil {
		return false
	}
	w.x, w.s = y, s
	for j := 0; j < len(w.socks); j++ { // a stream that has not begun begins now to say so
		if so := &w.socks[j]; so.json {
			if events, end := w.x.Read(so.c, 0); end == streams.HungUp && len(events) > 0 {
				x.begin(w, j, r)
			}
		}
	}
	x.effects(w, e, r)
	return true
}
