package transcript

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Options say how a transcript runs.
type Options struct {
	// Revision is the revision of the session; ${revision} in the script stands for it.
	Revision protocol.Revision
	// Reload takes a snapshot after each step and continues with the restored one.
	Reload bool
	// Watch, if set, is called for each transition, including those of a handshake before the script:
	// with the State after it, the received message, zero for a verb or a
	// tick, and its Output. Its error ends the run.
	Watch func(v verbs.View, in jsonrpc.Message, out lifecycle.Output) error
}

// Run runs the script and returns the effects of each step. It fails for a script
// that cannot run and for an unsound State; the caller compares the effects
// with Step.Want.
func (f *File) Run(opt Options) ([][]string, error) {
	r, err := f.begin(opt)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	defer r.close()
	var got [][]string
	for i, s := range f.Steps {
		lines, err := r.step(s.Input)
		if err != nil {
			return nil, fmt.Errorf("%s: step %d, %s: %w", f.Path, i+1, s.Input, err)
		}
		got = append(got, lines)
	}
	return got, nil
}

// stepper runs the steps of a file.
type stepper interface {
	step(line string) ([]string, error)
	close()
}

// begin returns the runner of the file, after the handshake if the file starts ready.
func (f *File) begin(opt Options) (stepper, error) {
	switch {
	case !f.HTTP:
		r := &runner{f: f, opt: opt, now: start, latest: start, seen: newMemory()}
		return r, r.begin()
	case f.Role == protocol.Client:
		return f.runClient(opt)
	}
	return f.runSite(opt)
}

// start is the time at which every transcript begins.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

type runner struct {
	f      *File
	opt    Options
	m      subject
	app    *application // of a wire file
	now    time.Time
	latest time.Time // seen by the State
	seen   memory
	framer jsonrpc.Framer
	under  *verbs.Envelope // in a revision without a session
}

func (r *runner) begin() error {
	options := r.f.Options(r.opt.Revision)
	var err error
	r.m, err = newSubject(r.f.Role, options, r.now)
	if r.f.Wire {
		r.app = newApplication(&r.m)
	}
	if r.opt.Revision.Stateless() && !r.f.Bare {
		r.under = r.f.envelope(r.opt.Revision, r.m.self())
	}
	switch {
	case err != nil || !r.f.Ready:
		return err
	case r.opt.Revision.Stateless():
		return r.connect()
	}
	for _, line := range r.f.handshake() {
		if _, err := r.step(line); err != nil {
			return err
		}
	}
	if r.m.Phase() != lifecycle.Ready {
		return errors.New("the handshake failed")
	}
	return nil
}

func (r *runner) close() {
	if r.app != nil {
		r.app.close()
	}
}

// handshake returns the steps that lead to ready.
func (f *File) handshake() []string {
	if f.Role == protocol.Client {
		return []string{"app initialize",
			`> {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"${revision}","capabilities":` + f.Peer + `,"serverInfo":{"name":"peer","version":"1"}}}`}
	}
	return []string{
		`> {"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"${revision}","capabilities":` + f.Peer + `,"clientInfo":{"name":"peer","version":"1"}}}`,
		`> {"jsonrpc":"2.0","method":"notifications/initialized"}`}
}

// step runs one input and returns its effects.
func (r *runner) step(line string) ([]string, error) {
	line = strings.ReplaceAll(line, "${revision}", r.opt.Revision.String())
	before := r.m.Machine
	var out lifecycle.Output
	var failure error
	switch {
	case strings.HasPrefix(line, "> "):
		data, err := input(line)
		if err != nil {
			return nil, err
		}
		if r.under != nil {
			data = dressed(r.under, data)
		}
		for m := range r.messages(line, data) {
			got := r.m.receive(r.now, m)
			if r.app != nil {
				got = r.app.handle(r.now, got)
			}
			if err := r.watch(m, got); err != nil {
				return nil, err
			}
			out.Merge(got)
		}
	case strings.HasPrefix(line, "clock "):
		return nil, r.set(strings.TrimPrefix(line, "clock "))
	case strings.HasPrefix(line, "@ "):
		if err := r.wait(line[2:]); err != nil {
			return nil, err
		}
		out = r.m.tick(r.now)
		if err := r.watch(jsonrpc.Message{}, out); err != nil {
			return nil, err
		}
	case r.f.Bare && line == "app initialize":
		c, got, err := verbs.ClientState(r.m.Machine).Connect(r.now, "")
		if out, failure = got, err; err == nil {
			r.m.Machine = verbs.Client(c)
		}
		if err := r.watch(jsonrpc.Message{}, out); err != nil {
			return nil, err
		}
	default:
		v, err := r.seen.parse(line, r.m.Machine)
		if err != nil {
			return nil, err
		}
		if r.under != nil {
			v.verb = r.under.Verb(v.verb)
		}
		out, failure = r.m.apply(r.now, v)
		if err := r.watch(jsonrpc.Message{}, out); err != nil {
			return nil, err
		}
	}
	if err := r.m.Check(); err != nil {
		return nil, err
	}
	if due, ok := r.m.NextDeadline(); strings.HasPrefix(line, "@ ") && ok && !due.After(r.now) {
		return nil, errors.New("after the tick the next deadline is not later")
	}
	if r.m.Machine != before && r.now.After(r.latest) { // a refused step does not record the time
		r.latest = r.now
	}
	if r.under != nil {
		out = r.under.Out(out)
	}
	lines := r.f.general(describe(out, failure, before.Phase(), r.m.Phase()), r.opt.Revision.String())
	if r.opt.Reload {
		if err := r.m.reload(r.latest); err != nil {
			return nil, err
		}
	}
	r.seen.bind(r.m)
	r.seen.note(r.m)
	return lines, nil
}

// messages iterates over the messages that the peer's bytes complete: those of the stream,
// or the single message of the line.
func (r *runner) messages(line string, data []byte) iter.Seq[jsonrpc.Message] {
	return func(yield func(jsonrpc.Message) bool) {
		if strings.HasPrefix(line, "> message ") {
			yield(jsonrpc.Decode(data))
			return
		}
		r.framer.Push(data)
		m, ok := r.framer.Next()
		for ok && yield(m) {
			m, ok = r.framer.Next()
		}
	}
}

// set sets the clock, without a tick: to a time since the start, or with + since the last
// step, or to the zero time.
func (r *runner) set(text string) error {
	if text == zero {
		r.now = time.Time{}
		return nil
	}
	d, err := time.ParseDuration(text)
	if !strings.HasPrefix(text, "+") {
		r.now = start
	}
	r.now = r.now.Add(d)
	return err
}

func (r *runner) watch(in jsonrpc.Message, out lifecycle.Output) error {
	if r.opt.Watch == nil {
		return nil
	}
	return r.opt.Watch(r.m, in, out)
}

func (r *runner) wait(text string) error {
	if text == "next" {
		due, ok := r.m.NextDeadline()
		if !ok {
			return errors.New("nothing is due")
		}
		r.now = due
		return nil
	}
	d, err := time.ParseDuration(strings.TrimPrefix(text, "+"))
	r.now = r.now.Add(d)
	return err
}
