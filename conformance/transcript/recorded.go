package transcript

import (
	"strings"
	"time"

	"github.com/sansmcp/mcp/conformance/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// recorded is a Machine whose transitions a Recorder writes down. It has all of them by
// itself: a verb that a script cannot say does not compile.
type recorded struct {
	session.View
	m    session.Machine
	r    *Recorder
	hint []string
}

var _ session.Machine = recorded{}

// note writes a step down and returns what came of it.
func (x recorded) note(now time.Time, line string) func(session.Machine, lifecycle.Output, error) (session.Machine, lifecycle.Output, error) {
	return func(next session.Machine, out lifecycle.Output, err error) (session.Machine, lifecycle.Output, error) {
		x.r.note(now, line, x.m, next, out, err)
		return next, out, err
	}
}

// sure is note for what cannot be refused.
func (x recorded) sure(now time.Time, line string) func(session.Machine, lifecycle.Output) (session.Machine, lifecycle.Output) {
	return func(next session.Machine, out lifecycle.Output) (session.Machine, lifecycle.Output) {
		x.r.note(now, line, x.m, next, out, nil)
		return next, out
	}
}

func (x recorded) Party() lifecycle.Party { return x.m.Party() }

func (x recorded) Receive(now time.Time, m jsonrpc.Message) (session.Machine, lifecycle.Output) {
	return x.sure(now, heard(strings.Join(x.hint, " ")))(x.m.Receive(now, m))
}

func (x recorded) Tick(now time.Time) (session.Machine, lifecycle.Output) {
	return x.sure(now, tick)(x.m.Tick(now))
}

func (x recorded) Respond(now time.Time, call lifecycle.Call, r protocol.Result) (session.Machine, lifecycle.Output, error) {
	line := "app respond " + x.r.seen.callOf(call) + " " + resultOf(r)
	return x.note(now, line)(x.m.Respond(now, call, r))
}

func (x recorded) Fail(now time.Time, call lifecycle.Call, e jsonrpc.Error) (session.Machine, lifecycle.Output, error) {
	line := "app fail " + x.r.seen.callOf(call) + " " + errorOf(e)
	return x.note(now, line)(x.m.Fail(now, call, e))
}

func (x recorded) Finish(now time.Time, a lifecycle.Answer) (session.Machine, lifecycle.Output, error) {
	line := "app finish " + x.r.seen.callOf(a.Call) + " " + answerOf(a)
	return x.note(now, line)(x.m.Finish(now, a))
}

func (x recorded) Progress(now time.Time, call lifecycle.Call, p protocol.ProgressParams) (session.Machine, lifecycle.Output, error) {
	line := "app progress " + x.r.seen.callOf(call) + " " + reportOf(p)
	return x.note(now, line)(x.m.Progress(now, call, p))
}

func (x recorded) Notify(now time.Time, p protocol.Params, within lifecycle.Call) (session.Machine, lifecycle.Output, error) {
	line := "app notify " + paramsOf(p)
	if !within.IsZero() {
		line += " within=" + x.r.seen.callOf(within)
	}
	return x.note(now, line)(x.m.Notify(now, p, within))
}

func (x recorded) Request(now time.Time, p protocol.Params, opt lifecycle.RequestOptions) (session.Machine, lifecycle.Output, error) {
	line := "app request " + paramsOf(p) + x.r.seen.optionsOf(opt)
	return x.note(now, line)(x.m.Request(now, p, opt))
}

func (x recorded) Cancel(now time.Time, req lifecycle.Req, reason string) (session.Machine, lifecycle.Output, error) {
	line := "app cancel " + x.r.seen.reqOf(req) + " " + restOf(reason)
	return x.note(now, line)(x.m.Cancel(now, req, reason))
}

func (x recorded) SendFailed(now time.Time, req lifecycle.Req, cause error) (session.Machine, lifecycle.Output) {
	line := "app sendfailed " + x.r.seen.reqOf(req) + causeOf(cause)
	return x.sure(now, line)(x.m.SendFailed(now, req, cause))
}

func (x recorded) ResponseLost(now time.Time, req lifecycle.Req, cause error) (session.Machine, lifecycle.Output) {
	line := "app responselost " + x.r.seen.reqOf(req) + causeOf(cause)
	return x.sure(now, line)(x.m.ResponseLost(now, req, cause))
}

func (x recorded) Abandon(now time.Time, call lifecycle.Call) (session.Machine, lifecycle.Output) {
	return x.sure(now, "app abandon "+x.r.seen.callOf(call))(x.m.Abandon(now, call))
}

func (x recorded) InputClosed(now time.Time) (session.Machine, lifecycle.Output) {
	return x.sure(now, "app inputclosed")(x.m.InputClosed(now))
}

func (x recorded) Disconnected(now time.Time, cause error) (session.Machine, lifecycle.Output) {
	return x.sure(now, "app disconnected"+causeOf(cause))(x.m.Disconnected(now, cause))
}

func (x recorded) Shutdown(now time.Time, grace time.Duration) (session.Machine, lifecycle.Output) {
	return x.sure(now, "app shutdown "+grace.String())(x.m.Shutdown(now, grace))
}

func (x recorded) Abort(now time.Time, cause error) (session.Machine, lifecycle.Output) {
	return x.sure(now, "app abort"+causeOf(cause))(x.m.Abort(now, cause))
}

func (x recorded) Reset(now time.Time) (session.Machine, error) {
	next, err := x.m.Reset(now)
	x.r.note(now, "app reset", x.m, next, lifecycle.Output{}, err)
	return next, err
}

func (x recorded) NewSession(now time.Time) (session.Machine, error) {
	next, err := x.m.NewSession(now)
	x.r.note(now, "app newsession", x.m, next, lifecycle.Output{}, err)
	return next, err
}

func (x recorded) Initialize(now time.Time) (session.Machine, lifecycle.Output, error) {
	return x.note(now, "app initialize")(x.m.Initialize(now))
}

func (x recorded) SetCatalog(now time.Time, c *server.Catalog) (session.Machine, lifecycle.Output, error) {
	line := "app catalog"
	for _, option := range x.hint {
		line += " " + wordOf(option)
	}
	return x.note(now, line)(x.m.SetCatalog(now, c))
}

func (x recorded) SetRoots(now time.Time, roots []protocol.Root) (session.Machine, lifecycle.Output, error) {
	return x.note(now, "app roots "+rootsOf(roots))(x.m.SetRoots(now, roots))
}
