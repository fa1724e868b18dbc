package transcript

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sansmcp/mcp/conformance/session"
	"github.com/sansmcp/mcp/conformance/transcript/fixture"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Options are how a transcript is run.
type Options struct {
	// Revision is the revision that is spoken; ${revision} in the script stands for it.
	Revision protocol.Revision
	// Reload takes a snapshot after each step and goes on with what is restored.
	Reload bool
	// Watch, if set, is told of each transition, those of a handshake before the script
	// too: the State after it, the message that was received, zero for a verb or a
	// tick, and what came of it. Its error ends the run.
	Watch func(v session.View, in jsonrpc.Message, out lifecycle.Output) error
}

// Run runs the script and returns, for each step, what came of it. It fails for a script
// that cannot be run and for a State that is not sound; what came is for the caller to
// compare with Step.Want.
func (f *File) Run(opt Options) ([][]string, error) {
	r := &runner{f: f, opt: opt, now: start}
	r.seen = memory{calls: map[string]lifecycle.Call{}, reqs: map[string]lifecycle.Req{}}
	if err := r.begin(); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	if r.app != nil {
		defer r.app.close()
	}
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

// start is when every transcript begins.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

type runner struct {
	f      *File
	opt    Options
	m      subject
	app    *application // of a wire file
	now    time.Time
	seen   memory
	framer jsonrpc.Framer
}

func (r *runner) begin() error {
	options := r.f.Options(r.opt.Revision)
	var err error
	r.m, err = newSubject(r.f.Role, options, r.now)
	if r.f.Wire {
		r.app = newApplication(&r.m)
	}
	if err != nil || !r.f.Ready {
		return err
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

// step runs one input and returns what came of it.
func (r *runner) step(line string) ([]string, error) {
	line = strings.ReplaceAll(line, "${revision}", r.opt.Revision.String())
	from := r.m.Phase()
	var out lifecycle.Output
	var failure error
	switch {
	case strings.HasPrefix(line, "> "):
		data, err := input(line)
		if err != nil {
			return nil, err
		}
		r.framer.Push(data)
		for m, ok := r.framer.Next(); ok; m, ok = r.framer.Next() {
			got := r.m.receive(r.now, m)
			if r.app != nil {
				got = r.app.handle(r.now, got)
			}
			if err := r.watch(m, got); err != nil {
				return nil, err
			}
			out.Merge(got)
		}
	case strings.HasPrefix(line, "@ "):
		if err := r.wait(line[2:]); err != nil {
			return nil, err
		}
		out = r.m.tick(r.now)
		if err := r.watch(jsonrpc.Message{}, out); err != nil {
			return nil, err
		}
	default:
		v, err := r.seen.parse(line)
		if err != nil {
			return nil, err
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
	r.seen.note(r.m)
	if r.opt.Reload {
		if err := r.m.reload(r.now); err != nil {
			return nil, err
		}
		r.seen.bind(r.m)
	}
	return r.describe(out, failure, from), nil
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

// describe writes what came of a step, line by line.
func (r *runner) describe(out lifecycle.Output, failure error, from lifecycle.Phase) []string {
	var lines []string
	for _, o := range out.Send {
		lines = append(lines, "< "+string(jsonrpc.Append(nil, o.Message)))
	}
	for _, ev := range out.Events {
		if ev.Kind != lifecycle.PhaseChanged {
			lines = append(lines, "! "+event(ev))
		}
	}
	if failure != nil {
		lines = append(lines, "= "+fixture.ErrorName(failure))
	}
	if out.Close != nil {
		lines = append(lines, "close "+out.Close.Kind.String())
	}
	if to := r.m.Phase(); to != from {
		lines = append(lines, "phase "+to.String())
	}
	for i, line := range lines {
		if v := r.opt.Revision.String(); r.f.speaks() {
			lines[i] = strings.ReplaceAll(line, v, "${revision}")
		}
	}
	return lines
}

// speaks reports whether the script names the revision that it is run at.
func (f *File) speaks() bool {
	for _, s := range f.Steps {
		if s.Input == "app initialize" || strings.Contains(s.Input, "${revision}") {
			return true
		}
	}
	return f.Ready
}

func event(ev lifecycle.Event) string {
	parts := []string{ev.Kind.String()}
	add := func(name, val string) {
		if val != "" {
			parts = append(parts, name+val)
		}
	}
	add("", ev.Rule)
	add("", ev.Method)
	if !ev.ID.IsZero() {
		add("id=", ev.ID.String())
	}
	if ev.Cause != nil && ev.Cause.Kind != lifecycle.CauseNone {
		add("cause=", strings.ReplaceAll(ev.Cause.Kind.String(), " ", "-"))
		if ev.Cause.Reason != "" && len(ev.Cause.Reason) < 100 {
			add("reason=", fmt.Sprintf("%q", ev.Cause.Reason))
		}
	}
	if ev.Err != nil {
		add("error=", fmt.Sprint(ev.Err.Code))
	}
	switch ev.Kind {
	case lifecycle.RequestReceived, lifecycle.ResponseReceived, lifecycle.ProgressReceived, lifecycle.NotificationReceived:
		if len(ev.Body) < 1000 {
			add("", string(ev.Body))
		}
	}
	return strings.Join(parts, " ")
}
