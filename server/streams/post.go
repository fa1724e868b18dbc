package streams

import (
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/server"
)

// Post handles the Output for a message m that was POSTed: after s, out = s.Receive(now, m) and any
// Handlers. Of m only the Kind matters: a batch is answered by an array.
//
// If all answers are ready and the stream has nothing else, they are in Reply.Body, and there is no
// stream. Otherwise Reply.Conn reads the stream of the answer, as JSON with Answer or, after Begin,
// as SSE with Read (HTTP-012). A call that the client cancels has no answer: its stream ends
// without one, and the response is an SSE stream that ends; 202 would mean that there was no
// request (HTTP-009).
func (x Streams) Post(s server.State, now time.Time, m jsonrpc.Message, out server.Output) (Streams, server.State, Reply, Effects) {
	return x.post(s, now, m, out, false)
}

// PostStream is Post and Begin in one, for a message whose answer must be a stream even if it is ready. A
// refused message, or one without an answer, gets the Reply of Post.
func (x Streams) PostStream(s server.State, now time.Time, m jsonrpc.Message, out server.Output) (Streams, server.State, Reply, Effects) {
	return x.post(s, now, m, out, true)
}

func (x Streams) post(s server.State, now time.Time, m jsonrpc.Message, out server.Output, begins bool) (Streams, server.State, Reply, Effects) {
	x.over = x.ended(s)
	if x.single {
		x, s, eff := x.Handle(s, now, out)
		return x, s, Reply{Status: 202}, eff
	}
	if reply, rest, ok := atOnce(m, out); ok && (!begins || out.Fate == lifecycle.FateRefused) {
		x, s, eff := x.Handle(s, now, rest)
		return x, s, reply, eff
	}
	w := x.begin(s, now)
	id := x.last + 1
	st := stream{
		first: firstEvent, last: firstEvent - 1, written: firstEvent - 1, gen: 1, attached: true,
		batch: m.Kind == jsonrpc.KindBatch,
	}
	open := func(call server.Call) {
		if seq := call.Seq(); seq != 0 && w.b.calls.Get(seq) == nil {
			w.b.calls = w.b.calls.Put(seq, table.Never, id)
			st.calls++
		}
	}
	for call := range out.OpenedCalls() {
		open(call)
	}
	open(out.Opened) // its event may have been removed for a later answer
	if st.calls == 0 && !direct(out) {
		w.absorb(out, 0)
		x, s, eff := w.done()
		return x, s, Reply{Status: 202}, eff
	}
	w.x.last = id
	w.hold = id
	w.set(id, &st, w.due(id, &st))
	w.absorb(out, id)
	if st, _, _ = w.get(id); st.calls == 0 && !st.ended {
		w.end(id, &st) // of a batch whose elements all cannot be read
	}
	reply := Reply{Status: 200, Conn: Conn{id, 1}}
	if begins {
		st, due, _ := w.get(id)
		w.prime(&st)
		w.set(id, &st, due)
	} else if body, ok := st.answerBody(); ok {
		reply = Reply{Status: 200, Body: body}
		w.discard(id)
	}
	w.release()
	x, s, eff := w.done()
	return x, s, reply, eff
}

// direct reports whether an Output answers the message itself.
func direct(out server.Output) bool {
	for i := range out.Send {
		if out.Send[i].Direct {
			return true
		}
	}
	return false
}

// atOnce returns the response to a message that needs no stream, and the rest of the Output: a
// message that was refused, or one request whose answer is its only message.
func atOnce(m jsonrpc.Message, out server.Output) (r Reply, rest server.Output, ok bool) {
	if out.Fate == lifecycle.FateRefused {
		r, rest = refused(out)
		return r, rest, true
	}
	answer := -1
	for i := range out.Send {
		if out.Send[i].Direct {
			answer = i
		}
	}
	if out.Fate != lifecycle.FateAnswered || m.Kind == jsonrpc.KindBatch || answer < 0 {
		return Reply{}, out, false
	}
	a := &out.Send[answer]
	rest = out
	rest.Send = nil
	for i := range out.Send {
		o := &out.Send[i]
		switch {
		case o == a:
		case o.Direct, !a.Call.IsZero() && o.Call == a.Call:
			return Reply{}, out, false
		default:
			rest.Send = append(rest.Send, *o)
		}
	}
	return Reply{Status: 200, Body: jsonrpc.Append(nil, a.Message)}, rest, true
}

// refused returns the response to a message that was refused: its error, or those of the elements
// of a batch, without an id if it could not be read (HTTP-011).
func refused(out server.Output) (r Reply, rest server.Output) {
	rest = out
	rest.Send = nil
	var errs []jsonrpc.Message
	for _, o := range out.Send {
		if !o.Direct {
			rest.Send = append(rest.Send, o)
			continue
		}
		if o.Message.ID == jsonrpc.Null {
			o.Message.ID = jsonrpc.ID{}
		}
		errs = append(errs, o.Message)
	}
	r.Status = 400
	switch len(errs) {
	case 0:
	case 1:
		r.Body = jsonrpc.Append(nil, errs[0])
	default:
		r.Body = jsonrpc.Append(nil, jsonrpc.BatchOf(errs...))
	}
	return r, rest
}

// answers reports whether the events of a stream can be the body of a JSON response.
func (st *stream) answers() bool {
	return st.ended && !st.begun && !st.mixed && st.last >= firstEvent && st.first <= firstEvent
}

// answerBody returns the events of a stream as the body of a JSON response.
func (st *stream) answerBody() (body []byte, ok bool) {
	if !st.answers() {
		return nil, false
	}
	return st.body(), true
}

// Answer returns the whole answer of a POST as the body of a JSON response, an array for a batch.
// ok is true if the stream has ended, Begin was not called, and it has only the answer.
func (x Streams) Answer(c Conn) (body []byte, ok bool) {
	st, ok := x.of(c)
	if !ok || !st.attached {
		return nil, false
	}
	return st.answerBody()
}

// Answered says that the result of Answer is the response. The stream is removed.
func (x Streams) Answered(s server.State, now time.Time, c Conn) (Streams, server.State, Effects) {
	if st, ok := x.of(c); !ok || !st.attached || !st.answers() {
		return x, s, Effects{}
	}
	w := x.begin(s, now)
	w.discard(c.Stream)
	return w.done()
}

// Begin says that the response is an SSE stream. From 2025-11-25 on it begins with a priming event,
// with an id and without data, so that the client can resume (HTTP-103). The client may resume the
// stream from now on.
func (x Streams) Begin(s server.State, now time.Time, c Conn) (Streams, server.State, Effects) {
	if st, ok := x.of(c); !ok || st.begun || !st.attached {
		return x, s, Effects{}
	}
	w := x.begin(s, now)
	st, due, _ := w.get(c.Stream)
	w.prime(&st)
	w.set(c.Stream, &st, due)
	w.touch(c.Stream)
	return w.done()
}

// Handle takes an Output of the State that does not come from a POST: of a verb, of Tick, of a
// fold. It adds messages of an open call to the stream of its POST (HTTP-016), all others to one
// GET stream (HTTP-027, HTTP-032). While no GET stream has a connection, they wait for the next one
// for Options.Keep. A stream ends when its calls have ended (HTTP-018), and all end with the
// session.
//
// A response to a message that did not arrive by Post is not sent: it has no stream (HTTP-028).
func (x Streams) Handle(s server.State, now time.Time, out server.Output) (Streams, server.State, Effects) {
	if x.concerns(out) {
		w := x.begin(s, now)
		w.absorb(out, 0)
		return w.done()
	}
	return x, s, Effects{Output: out}
}
