package relay

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// A client without a session accepts no requests. A server's question during a call becomes the result of
// the call for such a client, which repeats the call with the answers. Until then the call is parked: it
// continues at its server, without an open request of the client. The requestState in the result
// identifies the call; only this Relay can have written it.

// maxQuestions is the largest number of open questions of a call.
const maxQuestions = 32

// maxProgress is how many progress notifications are kept for a parked call.
const maxProgress = 32

// size returns how many bytes from peers are kept.
func (p *parked) size() int {
	n := len(p.result)
	if p.err != nil {
		n += len(p.err.Message) + len(p.err.Data)
	}
	for i := range p.questions {
		n += len(p.questions[i].body)
	}
	for _, body := range p.progress {
		n += len(body)
	}
	return n
}

// keyOf returns the key of a question in results: the server's if it has no sessions, otherwise a unique one.
func keyOf(ev *manager.Event) string {
	if id, is := ev.Session.ID.Str(); is && !ev.Session.Req.IsZero() {
		_, key, _ := strings.Cut(id, " ")
		return strings.Clone(key)
	}
	return "q" + strconv.FormatUint(ev.Call.Call.Seq(), 10)
}

// putParked stores a parked call with its deadline.
func (r *Relay) putParked(op uint64, due int64, p parked) {
	r.takeParked(op)
	r.parked = r.parked.Put(op, due, p)
	r.kept += p.size()
}

// takeParked removes and returns a parked call; false if there is none.
func (r *Relay) takeParked(op uint64) (parked, bool) {
	t, leaf := r.parked.Delete(op)
	if leaf == nil {
		return parked{}, false
	}
	r.parked = t
	r.kept -= leaf.V.size()
	return leaf.V, true
}

// about returns a hash of a request: of its method and the name in it.
func (r *Relay) about(method, name string) uint64 {
	return engine.Hash(r.cfg.key, 'a', method+"\n"+name)
}

// requestState returns the text that identifies a parked call and its round, for the client to repeat it
// with.
func (r *Relay) requestState(op, round, about uint64) string {
	number := strconv.FormatUint(op, 10) + "." + strconv.FormatUint(round, 10)
	return strconv.FormatUint(engine.Hash([2]uint64{r.cfg.key[0], r.cfg.key[1] ^ about}, 'r', number), 16) + "." + number
}

// asker returns the operation of the call within which a server asks, if the call's client has no session. If
// the Manager does not know it, that is an open call, otherwise a parked one: the only one, or the oldest if
// all belong to one party.
func (st *step) asker(u *upstream, known manager.Op) (op uint64, ok bool) {
	r := &st.r
	if op = known.Seq(); op == 0 {
		if leaf := r.loads.Get(u.id); leaf == nil {
			op = r.oldestParked(u.id)
		} else if leaf.V.n == 1 && !r.apart(u.id) {
			op = r.calls.Get(leaf.V.calls).V.op
		} else if !r.cfg.Strangers && st.s.Revision().IsZero() {
			op = r.oldest(u.id)
		}
	}
	if leaf := r.byOp.Get(op); leaf != nil {
		return op, r.calls.Get(leaf.V).V.rev.Stateless()
	}
	return op, r.parked.Get(op) != nil
}

// oldest returns the oldest open call of a server; 0 if none.
func (r *Relay) oldest(id uint64) (op uint64) {
	for leaf := range r.calls.All() {
		if leaf.V.server == id && leaf.V.op != 0 {
			return leaf.V.op
		}
	}
	return 0
}

// oldestParked returns the oldest parked call of a server that has not ended; 0 for several that may
// belong to different people.
func (r *Relay) oldestParked(id uint64) (op uint64) {
	for leaf := range r.parked.All() {
		switch {
		case leaf.V.server != id || leaf.V.ended:
		case op == 0:
			op = leaf.Key
		case r.cfg.Strangers:
			return 0
		}
	}
	return op
}

// question handles a server's question within a call of a client without a session.
func (st *step) question(op uint64, q question) {
	r := &st.r
	due := never
	var p parked
	if leaf := r.parked.Get(op); leaf != nil {
		p, due = leaf.V, leaf.Deadline
	} else {
		seq := r.byOp.Get(op).V
		c := r.calls.Get(seq).V
		p = parked{server: c.server, about: c.about, round: c.round, rev: c.rev, caps: st.s.Client(st.s.Call(seq, c.key)).Capabilities}
	}
	asks := p.rev.Row(protocol.ToolList.Use)
	_, needs, err := asks.EncodeInput(&protocol.InputRequired{Questions: []protocol.Question{{Key: "q", Params: decoded(q.method, q.body)}}}, p.caps, protocol.Encoding{KeepNulls: true})
	held := &r.cfg.Held
	switch {
	case err != nil, !p.caps.Has(needs):
		st.refuseAsk(q.call, protocol.MethodNotFound())
		return
	case r.parked.Get(op) == nil && r.parked.Len() >= held.Requests, len(p.questions) >= maxQuestions, r.kept+len(q.body) > held.Bytes:
		st.refuseAsk(q.call, protocol.InternalError("the client accepts no more requests; try again later"))
		return
	}
	p.questions = append(slices.Clip(p.questions), q)
	r.putParked(op, due, p)
	st.asked = append(st.asked, op)
}

// refuseAsk fails a request of a server on behalf of the client.
func (st *step) refuseAsk(call manager.Call, e jsonrpc.Error) {
	st.tryUp(st.r.m.Fail(st.now, call, e))
}

// park answers the calls within which servers have asked in this step, with all open questions.
func (st *step) park() {
	r := &st.r
	for _, op := range st.asked {
		open, leaf := r.byOp.Get(op), r.parked.Get(op)
		if open == nil || leaf == nil || len(leaf.V.questions) == 0 {
			continue
		}
		p := leaf.V
		c, _ := r.remove(open.V)
		p.round++
		ask := &protocol.InputRequired{State: r.requestState(op, p.round, p.about)}
		p.questions = slices.Clone(p.questions)
		for i := range p.questions {
			q := &p.questions[i]
			if q.round == 0 {
				q.round = p.round
			}
			ask.Questions = append(ask.Questions, protocol.Question{Key: q.key, Params: decoded(q.method, q.body)})
		}
		r.putParked(op, r.clock.After(r.cfg.answer()), p)
		st.finish(server.Answer{Call: st.s.Call(open.V, c.key), Result: ask})
	}
	st.asked = nil
}

// resume handles a repeated call that is parked. If the Filter now excludes the named item, that does not
// exist for the client, and the call ends.
func (st *step) resume(ev *server.Event, c call, in *protocol.InputResponses, at *upstream, kind int, name string) {
	r := &st.r
	_, numbers, _ := strings.Cut(in.State, ".")
	number, nth, _ := strings.Cut(numbers, ".")
	op, _ := strconv.ParseUint(number, 10, 64)
	round, _ := strconv.ParseUint(nth, 10, 64) // an earlier round if the client did not get the last result
	leaf := r.parked.Get(op)
	if leaf == nil || leaf.V.about != c.about || in.State != r.requestState(op, round, c.about) {
		st.fail(ev.Call, protocol.UnknownState())
		return
	}
	p, _ := r.takeParked(op)
	if r.keptOut(p.server, at, kind, name) {
		st.giveUp(op, &p, "the client may no longer call it")
		st.fail(ev.Call, protocol.Lists()[kind].Unknown(name))
		return
	}
	for _, body := range p.progress {
		st.tellProgress(ev.Call, body)
	}
	p.progress = nil
	if p.ended {
		st.moved(p.server, st.answered(p.questions, in, round), "the call has ended")
		st.finish(p.answer(ev.Call))
		return
	}
	c.key, c.op, c.server, c.round = ev.Call.Key(), op, p.server, p.round
	r.put(ev.Call.Seq(), never, c)
	if p.questions = st.answered(p.questions, in, round); len(p.questions) > 0 {
		r.putParked(op, never, p)
		st.asked = append(st.asked, op)
	}
}

// keepProgress keeps progress of a parked call until the client repeats it.
func (st *step) keepProgress(op uint64, body jsonrpc.Raw) {
	r := &st.r
	leaf := r.parked.Get(op)
	if leaf == nil || r.kept+len(body) > r.cfg.Held.Bytes {
		return
	}
	p, due := leaf.V, leaf.Deadline
	p.progress = append(slices.Clone(p.progress[max(0, len(p.progress)-maxProgress+1):]), jsonrpc.Raw(strings.Clone(string(body))))
	r.putParked(op, due, p)
}

// tellProgress passes progress to a call of the client.
func (st *step) tellProgress(call server.Call, body jsonrpc.Raw) {
	p, _ := protocol.Decode[protocol.ProgressParams](body) // the session has checked it
	st.tryDown(st.s.Progress(st.now, call, p))
}

// answered passes on the answers in a request, and returns the questions without one.
func (st *step) answered(open []question, in *protocol.InputResponses, round uint64) (left []question) {
	for _, q := range open {
		result, ok := in.Results[q.key]
		if !ok || round < q.round { // otherwise it answers an earlier question with that key
			left = append(left, q)
			continue
		}
		st.tryUp(st.r.m.Finish(st.now, q.call, client.Answer{Result: protocol.DecodedResult(jsonrpc.Raw(strings.Clone(string(result))))}))
	}
	return left
}

// answer returns the answer to a parked call that has ended.
func (p *parked) answer(to server.Call) server.Answer {
	if p.err != nil {
		return server.Answer{Call: to, Err: p.err}
	}
	return server.Answer{Call: to, Result: protocol.DecodedResult(p.result)}
}

// withdraw removes the questions of a call that has ended.
func (st *step) withdraw(op uint64, why string) {
	if p, ok := st.r.takeParked(op); ok {
		st.moved(p.server, p.questions, why)
	}
}

// moved moves the questions of a call that has ended to another call, because the call that a server meant is
// a guess. Without another call, or if that may belong to another person, the questions fail.
func (st *step) moved(server uint64, open []question, why string) {
	for _, q := range open {
		if u := st.r.up.get(server); u != nil && !st.r.cfg.Strangers {
			if op, ok := st.asker(u, manager.Op{}); ok {
				q.round = 0
				st.question(op, q)
				continue
			}
		}
		st.refuseAsk(q.call, protocol.InternalError(why))
	}
}

// awaited reports whether a parked call has not ended.
func (r *Relay) awaited() bool {
	for leaf := range r.parked.All() {
		if !leaf.V.ended {
			return true
		}
	}
	return false
}

// expireParked gives up the parked calls that the client did not repeat in time.
func (st *step) expireParked() {
	r := &st.r
	for r.parked.Min() <= r.clock.Now() {
		for leaf := range r.parked.All() {
			if leaf.Deadline > r.clock.Now() {
				continue
			}
			const why = "the client did not answer in time"
			p, _ := r.takeParked(leaf.Key)
			if p.ended && p.until > r.clock.Now() {
				open := p.questions
				p.questions = nil
				r.putParked(leaf.Key, p.until, p)
				st.moved(p.server, open, why)
				continue
			}
			st.giveUp(leaf.Key, &p, why)
		}
	}
}

// giveUp cancels a parked call at its server, and fails its questions.
func (st *step) giveUp(op uint64, p *parked, why string) {
	for _, q := range p.questions {
		st.refuseAsk(q.call, protocol.InternalError(why))
	}
	st.tryUp(st.r.m.Cancel(st.now, manager.OpOf(op), why))
}

// keptOut reports whether the Filter of a call's server excludes the named item. at is the server that the
// name stands for now.
func (r *Relay) keptOut(id uint64, at *upstream, kind int, name string) bool {
	u := r.up.get(id)
	return u != at && u != nil && u.state == manager.Ready && u.restricted() && r.knows(u, kind) && !r.has(u, kind, name)
}

// questionEnded removes a question whose server no longer waits for the answer.
func (st *step) questionEnded(call manager.Call) {
	r := &st.r
	for leaf := range r.parked.All() {
		i := slices.IndexFunc(leaf.V.questions, func(q question) bool { return q.call == call })
		if i < 0 {
			continue
		}
		p := leaf.V
		p.questions = slices.Delete(slices.Clone(p.questions), i, i+1)
		if len(p.questions) == 0 && r.byOp.Get(leaf.Key) != nil {
			r.takeParked(leaf.Key)
		} else {
			r.putParked(leaf.Key, leaf.Deadline, p)
		}
		return
	}
}

// checkParked checks that the client does not wait for a parked call, and the count of kept bytes.
func (r *Relay) checkParked() error {
	kept := 0
	for leaf := range r.parked.All() {
		kept += leaf.V.size()
		if r.byOp.Get(leaf.Key) != nil {
			return errors.New("relay: a parked call that the client waits for")
		}
	}
	if kept != r.kept {
		return errors.New("relay: a wrong count of what is kept of parked calls")
	}
	return nil
}
