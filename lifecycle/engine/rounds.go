package engine

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// Requests of ours that a stateless server answers with questions. Each question is a call of the
// peer for the application, as a request of a session would be, and no message: the answers go out
// together, with the request made again under another id. One Req stands for all rounds, with one
// end and one maximum (MRTR-028, MRTR-032, MRTR-033).
//
// A request is asking from the answer that asks to the last answer of the application. Nothing of it
// is on its way then: no answer is awaited and nothing need be withdrawn. People have Timeouts.Human for
// all questions of a round, as for one of a session.

// maxRounds is how often a request may be answered with questions: a server that asks for ever,
// whatever it is told, ends (MRTR-034).
const maxRounds = 10

var (
	errRounds     = errors.New("the server still asks after " + strconv.Itoa(maxRounds) + " rounds of questions")
	errUndeclared = errors.New("a question that needs a capability which this side has not declared")
	errQuestions  = errors.New("more or longer questions than Limits allow")
	errResultType = errors.New("a resultType that is not known")
)

// mayAsk reports whether results of the row may ask.
func mayAsk(row *protocol.Row) bool { return row.Asks && row.Revision().Stateless() }

// asksInput reports whether a result asks. The error is that its type is none that the method has
// (RSLT-005, RSLT-006, RSLT-009).
func asksInput(row *protocol.Row, result jsonrpc.Raw) (bool, error) {
	if !row.Revision().Stateless() {
		return false, nil // where resultType is a member like any other (RSLT-008)
	}
	raw, given := rawjson.Get(string(result), "resultType")
	switch kind, _ := rawjson.Unquote(raw); {
	case !given, raw == "null", kind == protocol.ResultComplete:
		return false, nil
	case kind == protocol.ResultInputRequired && row.Asks:
		return true, nil
	}
	return false, errResultType
}

// brokenBy returns the requirement row that a server breaks whose result cannot be used.
func brokenBy(err error) string {
	switch {
	case errors.Is(err, errResultType):
		return "RSLT-006"
	case errors.Is(err, errUndeclared):
		return "MRTR-006"
	}
	return "MRTR-030"
}

// question gives the application the questions of a result. The error is why it cannot be used, and
// then nothing was changed.
func (r *requests) question(leaf *table.Leaf[outbound], m *jsonrpc.Message, o *lifecycle.Output) error {
	v := leaf.V
	ask, needs, err := v.row.ReadInput(m.Body)
	switch {
	case err != nil:
		return err
	case !r.env.Caps.Has(needs): // MRTR-030
		return errUndeclared
	case v.ext.round.n == maxRounds:
		return errRounds
	case r.in.Len()+len(ask.Questions) > r.env.Limits.Inbound, len(ask.State) > r.env.Limits.Schema:
		return errQuestions
	}
	was, events := *r, len(o.Events)
	next := &round{params: v.ext.round.params, state: strings.Clone(ask.State), n: v.ext.round.n + 1}
	for _, q := range ask.Questions {
		if !r.ask(leaf.Key, q.Key, q.Params.(protocol.RawRequest), &v, o) { // as ReadInput has them
			*r, o.Events = was, o.Events[:events]
			return errQuestions
		}
		next.keys, next.answers = append(next.keys, strings.Clone(q.Key)), append(next.answers, "")
	}
	x := *v.ext
	x.round, v.ext = next, &x
	if !v.asking() { // MRTR-021, MRTR-022
		r.again(leaf.Key, v, o)
		return nil
	}
	r.out = r.out.Put(leaf.Key, min(r.After(r.env.Timeouts.Human), v.maxDeadline), v)
	return nil
}

// ask makes a call of a question, which ReadInput has found good. It returns false for one that is too
// long, or that cannot be told from another.
func (r *requests) ask(req uint64, key string, p protocol.RawRequest, v *outbound, o *lifecycle.Output) bool {
	row := v.row.Revision().Row(p.Name)
	info, _ := row.ReadParams(p.Body, jsonrpc.Span{})
	t := row.Terms(protocol.Asked{Params: p.Body, Info: info, Received: true, Caps: r.env.Caps})
	id := questionID(req, key)
	place := r.env.key(id)
	if len(t.Subject) > r.env.mostKept(row, true) || len(key) > r.env.Limits.Text || r.in.Get(place) != nil {
		return false
	}
	asked := &jsonrpc.Message{ID: id, Method: p.Name, Body: p.Body}
	if t.Rule != "" {
		Violation(t.Rule, asked, o) // and passed on, as from a request of a session
	}
	r.seq++
	call := r.Call(r.seq, place)
	// Without its _meta: progress goes from the server to the client alone (PROG-201).
	r.Hold(&Intake{Row: row, Subject: t.Subject, Of: req}, asked, call)
	ev := event(lifecycle.RequestReceived, o)
	ev.Call, ev.Req, ev.ID, ev.Method, ev.Body, ev.Revision = call, r.Req(req), id, p.Name, p.Body, row.Revision()
	return true
}

// servesQuestion reports whether a call is a question of a request of ours, or within one: it ends with that request.
func (r *requests) servesQuestion(call lifecycle.Call, of uint64) bool {
	for leaf := r.lookup(call); leaf != nil && leaf.V.ext != nil && leaf.V.ext.of != 0; {
		if leaf.V.ext.of == of {
			return true
		}
		out := r.out.Get(leaf.V.ext.of)
		if out == nil {
			return false
		}
		leaf = out.V.within().of(r)
	}
	return false
}

// questionID is the id of a question: no stateless server sends requests, so it meets no other.
func questionID(req uint64, key string) jsonrpc.ID {
	return jsonrpc.String(strconv.FormatUint(req, 10) + " " + key)
}

// key returns the key of a question from its id.
func (v *inbound) key() string {
	text, _ := v.id.Str()
	_, key, _ := strings.Cut(text, " ")
	return key
}

// collect takes the application's answer to a question, which has left the table. An error refuses
// it, and the request with it: nothing of that is sent (MRTR-031).
func (r *requests) collect(v *inbound, m jsonrpc.Message, o *lifecycle.Output) {
	leaf := r.out.Get(v.ext.of)
	if leaf == nil {
		return
	}
	if m.Kind == jsonrpc.KindError {
		r.drop(leaf)
		r.fail(leaf, &lifecycle.Cause{Kind: lifecycle.CauseUnanswered, RPC: m.Err}, o)
		return
	}
	out := leaf.V
	x, next := *out.ext, *out.ext.round
	next.answers = slices.Clone(next.answers) // those of an older State stay as they are
	next.answers[slices.Index(next.keys, v.key())] = m.Body
	x.round, out.ext = &next, &x
	if out.asking() {
		r.out = r.out.Put(leaf.Key, leaf.Deadline, out)
		return
	}
	r.again(leaf.Key, out, o)
}

// again makes a request again, with the answers to its questions: under another id, with its params
// as they were but for the answers and a progress token that is its id (MRTR-025, MRTR-026, MRTR-027).
func (r *requests) again(seq uint64, v outbound, o *lifecycle.Output) {
	was := v.ext.round
	body := protocol.WithResponses(was.params, was.keys, was.answers, was.state)
	x := *v.ext
	r.setTokens(r.tokens().settled(x.id))
	x.id = r.nextID()
	r.last = x.id
	r.setTokens(r.tokens().move(x.id, seq))
	id := jsonrpc.Int(int64(x.id))
	if v.progress {
		meta, _ := rawjson.Get(string(body), "_meta")
		meta = rawjson.Set(meta, "progressToken", string(id.Append(nil)))
		body = jsonrpc.Raw(rawjson.Set(string(body), "_meta", meta))
	}
	x.round, v.ext = &round{params: was.params, n: was.n}, &x
	v.reported, v.last, x.gate = false, 0, 0 // PROG-204
	r.out = r.out.Put(seq, min(r.After(v.timeout), v.maxDeadline), v)
	out := outgoing(o)
	out.Call, out.Req = v.within().call(r), r.Req(seq)
	m := &out.Message
	m.Kind, m.ID, m.Method, m.Body = jsonrpc.KindRequest, id, v.name(), body
}
