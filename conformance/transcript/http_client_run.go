package transcript

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// clientRunner runs a file for a client of Streamable HTTP: a State, the order in which its
// messages are posted, and an exchange for each, combined as the author of a transport would.
// The script is the answering peer.
type clientRunner struct {
	f       *File
	opt     Options
	m       subject
	seen    memory
	now     time.Time
	order   exchange.Order
	session exchange.Session
	errands []*errand        // the open ones
	count   int              // of all so far
	ending  bool             // DELETE is to come
	out     lifecycle.Output // of the step so far
	in      jsonrpc.Message
}

func (f *File) runClient(opt Options) (stepper, error) {
	r := &clientRunner{f: f, opt: opt, now: start, seen: newMemory()}
	var err error
	if r.m, err = newSubject(protocol.Client, f.Options(opt.Revision), start); err != nil || !f.Ready {
		return r, err
	}
	for _, line := range []string{
		"app initialize",
		"[1] status 200 json session=s1",
		"[1] json " + f.handshake()[1],
		"[2] status 202",
	} {
		if _, err := r.step(line); err != nil {
			return nil, err
		}
	}
	if r.m.Phase() != lifecycle.Ready {
		return nil, errors.New("the handshake failed")
	}
	return r, nil
}

func (r *clientRunner) close() {}

// step runs one input and returns its effects.
func (r *clientRunner) step(line string) ([]string, error) {
	line = strings.ReplaceAll(line, "${revision}", r.opt.Revision.String())
	before := r.m.Phase()
	r.out, r.in = lifecycle.Output{}, jsonrpc.Message{}
	var failure, err error
	switch {
	case isAnswer(line):
		err = r.reply(line)
	case strings.HasPrefix(line, "@ "):
		err = r.wait(line[2:])
	case !strings.HasPrefix(line, "app "):
		err = errors.New("a client of HTTP has no such line")
	default:
		failure, err = r.do(line)
	}
	if err != nil {
		return nil, err
	}
	lines, err := r.requests()
	if err != nil {
		return nil, err
	}
	events := r.out
	events.Send = nil
	lines = append(lines, describe(events, failure, before, r.m.Phase())...)
	if err := r.m.Check(); err != nil {
		return nil, err
	}
	if r.opt.Watch != nil {
		if err := r.opt.Watch(r.m.Machine, r.in, r.out); err != nil {
			return nil, err
		}
	}
	if r.opt.Reload {
		if err := r.m.reload(r.now); err != nil {
			return nil, err
		}
		r.seen.bind(r.m)
	}
	r.seen.note(r.m)
	return r.f.general(lines, r.opt.Revision.String()), nil
}

// do does an act of the application: a verb of a State, or "app listen" and "app again N"
// of the transport.
func (r *clientRunner) do(line string) (failure, err error) {
	switch verb, rest, _ := strings.Cut(strings.TrimPrefix(line, "app "), " "); verb {
	case "listen":
		r.start(&errand{x: exchange.Listen(r.f.Exchange, r.session)})
		return nil, nil
	case "again":
		e, err := r.find(rest)
		if err != nil {
			return nil, err
		}
		next, ok := e.x.Again()
		if !ok {
			return errors.New("not again"), nil
		}
		e.x, e.said = next, 0
		return nil, nil
	}
	v, err := r.seen.parse(line, r.m.Machine)
	if err != nil {
		return nil, err
	}
	out, failure := r.m.apply(r.now, v)
	r.take(out)
	return failure, nil
}

// take posts what a State sends, each message in its turn.
func (r *clientRunner) take(out lifecycle.Output) {
	r.out.Merge(out)
	r.order = r.order.Add(out.Send...)
	r.post()
	if out.Close != nil && r.session.ID != "" {
		r.ending = true
	}
}

func (r *clientRunner) post() {
	for {
		order, t, m, ok := r.order.Next(r.now)
		if r.order = order; !ok {
			return
		}
		r.start(&errand{x: exchange.Post(r.f.Exchange, r.session, m.Message), ticket: t, m: m})
		r.order = r.order.Sent(r.now, t)
	}
}

func (r *clientRunner) start(e *errand) {
	r.count++
	e.number = r.count
	r.errands = append(r.errands, e)
}

func (r *clientRunner) find(name string) (*errand, error) {
	for _, e := range r.errands {
		if strconv.Itoa(e.number) == name {
			return e, nil
		}
	}
	return nil, fmt.Errorf("no exchange %s is open", name)
}

// reply handles an act of the server.
func (r *clientRunner) reply(line string) error {
	a, err := parseReply(line)
	if err != nil {
		return err
	}
	e, err := r.find(strconv.Itoa(a.request))
	if err != nil {
		return err
	}
	var m jsonrpc.Message
	var heard bool
	switch {
	case a.closed:
		e.x = e.x.Closed(r.now)
	case a.header != nil:
		e.x = e.x.Respond(r.now, exchange.Read(a.status, a.header.Values))
		r.order = r.order.Accepted(e.ticket)
	case a.event != nil:
		e.x, m, heard = e.x.Event(r.now, *a.event)
	default:
		e.x, m, heard = e.x.Body(r.now, a.body)
	}
	if id := e.x.SessionID(); id != "" {
		r.session.ID = id
	}
	if heard {
		r.in = m
		out := r.m.receive(r.now, m)
		r.session.Revision = r.m.Revision()
		r.take(out)
	}
	return nil
}

// wait lets time pass.
func (r *clientRunner) wait(text string) error {
	if text != "next" {
		d, err := time.ParseDuration(strings.TrimPrefix(text, "+"))
		if err != nil {
			return err
		}
		r.now = r.now.Add(d)
	} else if err := r.skip(); err != nil {
		return err
	}
	for _, e := range r.errands {
		e.x = e.x.Tick(r.now)
	}
	r.take(r.m.tick(r.now))
	return nil
}

// skip sets the clock to the next deadline.
func (r *clientRunner) skip() error {
	var all []time.Time
	if due, ok := r.m.NextDeadline(); ok {
		all = append(all, due)
	}
	if due, ok := r.order.NextDeadline(); ok {
		all = append(all, due)
	}
	for _, e := range r.errands {
		if at := e.x.At(); !at.IsZero() {
			all = append(all, at)
		}
	}
	if len(all) == 0 {
		return errors.New("nothing is due")
	}
	r.now = slices.MinFunc(all, time.Time.Compare)
	return nil
}

// requests describes the outcome of the exchanges, ends those that are over, and sends what
// waited for them.
func (r *clientRunner) requests() (lines []string, err error) {
	for i := 0; i < len(r.errands); i++ { // more may come while it goes on
		e := r.errands[i]
		lines = append(lines, e.lines(r.now, r.f.Exact)...)
		phase := e.x.Phase()
		if phase != exchange.Done && phase != exchange.Lost || e.x.Failure().Reason == exchange.Unauthorized {
			continue // the application may have a token for it
		}
		r.errands = slices.Delete(r.errands, i, i+1)
		i--
		if err := r.over(e); err != nil {
			return nil, err
		}
	}
	if posting := func(e *errand) bool { return e.ticket != 0 }; r.ending && !slices.ContainsFunc(r.errands, posting) {
		lines = append(lines, end(r.session))
		r.ending, r.errands = false, nil
	}
	return lines, nil
}

// over handles the end of an exchange.
func (r *clientRunner) over(e *errand) error {
	if e.ticket != 0 {
		r.order = r.order.Ended(e.ticket)
	}
	f := e.x.Failure()
	switch {
	case f.Reason == exchange.SessionGone:
		return r.anew()
	case e.x.Phase() == exchange.Done || e.m.Req.IsZero():
	case f.Reason == exchange.Legacy: // a driver begins again with the old transport
	case e.m.Message.Kind == jsonrpc.KindRequest:
		v := verbs.Verb{Op: verbs.OpResponseLost, Req: r.m.Req(e.m.Req.Seq()), Cause: told{f}}
		if f.Delivery().Repeatable() {
			v.Op = verbs.OpSendFailed
		}
		_ = r.verb(v) // it cannot be refused
	}
	r.post()
	return nil
}

// told is a Failure in the words of a script.
type told struct{ exchange.Failure }

// Error returns the words.
func (t told) Error() string { return failureText(t.Failure) }

// anew begins another session after one that the server has ended (HTTP-047).
func (r *clientRunner) anew() error {
	r.errands, r.order, r.session = nil, exchange.Order{}, exchange.Session{}
	return errors.Join(
		r.verb(verbs.Verb{Op: verbs.OpDisconnected, Cause: errors.New("session gone")}),
		r.verb(verbs.Verb{Op: verbs.OpReset}), r.verb(verbs.Verb{Op: verbs.OpInitialize}),
	)
}

// verb does a verb, and posts what the State sends.
func (r *clientRunner) verb(v verbs.Verb) error {
	out, err := r.m.do(r.now, v)
	r.take(out)
	return err
}
