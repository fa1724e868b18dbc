package server

import (
	"context"
	"errors"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// Job is one request with the function that answers it, separate from the State so that any
// goroutine may run it.
type Job struct {
	// Call is the request that the Job answers.
	Call Call
	// Method is its method.
	Method string
	run    runner
	read   *reading // of Early
}

// runner runs the function of a Job.
type runner interface {
	run(ctx context.Context, c Caller) (protocol.Result, error)
}

// running is a runner.
type running func(ctx context.Context, c Caller) (protocol.Result, error)

func (f running) run(ctx context.Context, c Caller) (protocol.Result, error) { return f(ctx, c) }

// reading is what Early has read of a request. It also runs the function of a tool.
type reading struct {
	cfg     *config // what the request was read for, with the catalog
	catalog *Catalog
	in      engine.Intake
	tool    func(context.Context, Caller, protocol.CallToolParams) (*protocol.CallToolResult, error)
}

// run implements runner.
func (r *reading) run(ctx context.Context, c Caller) (protocol.Result, error) {
	p := protocol.CallToolParams{Name: r.in.Info.Subject, Arguments: r.in.Info.Arguments, Meta: r.in.Info.Meta, Input: r.in.Input}
	if p.Arguments == "" {
		p.Arguments = "{}"
	}
	return untilAnswered(ctx, c, r.in.Profile.Revision, r.tool, p, putTool)
}

// unless returns r, or nil if there is something to report of the request: then it is read again.
func (r *reading) unless(o *Output) *reading {
	if len(o.Events) > 0 {
		return nil
	}
	return r
}

// of reports whether s would read the request as r has it.
func (r *reading) of(s *State) bool {
	return r != nil && r.cfg == s.cfg && r.catalog == s.catalog() && (r.in.Brings() || r.in.Row.Revision() == s.core.Profile().Revision)
}

// Run runs the function. The driver must end ctx when the call ends (Output.EndedCalls), and pass
// the Answer to Finish. The Answer of the zero Job is an internal error.
func (j Job) Run(ctx context.Context, c Caller) Answer {
	if j.run == nil {
		return answerOf(j.Call, j.Method, nil, nil)
	}
	r, err := j.run.run(ctx, c)
	return answerOf(j.Call, j.Method, r, err)
}

// answerOf converts what a function returned to an Answer (tools, Error Handling; TOOL-016,
// TOOL-019).
func answerOf(call Call, method string, r protocol.Result, err error) Answer {
	if err = engine.Real(err); err == nil && r == nil {
		err = errNoResult
	}
	if err == nil {
		return Answer{Call: call, Result: r}
	}
	tool := method == protocol.MethodToolsCall
	if r := failure(err); tool && r != nil { // first, because errors that it wraps are only for the program
		return Answer{Call: call, Result: r}
	}
	switch rpc := jsonrpc.ErrorOf(err); {
	case rpc != nil:
		return Answer{Call: call, Err: rpc}
	case tool:
		return Answer{Call: call, Result: protocol.ErrorResult(err.Error())}
	}
	// RES-028, PROMPT-015, COMPL-014
	e := protocol.InternalError("internal error")
	return Answer{Call: call, Err: &e}
}

// failure returns the result in err, or in an error that it wraps, such as a *toolerror.Error; nil
// if there is none.
func failure(err error) *protocol.CallToolResult {
	var own interface {
		ToolResult() *protocol.CallToolResult
	}
	if errors.As(err, &own) {
		return own.ToolResult()
	}
	return nil
}

// Job looks up the function that answers the request of a RequestReceived event, and checks the
// params. It returns false for an event that h cannot answer: other Handlers or the application
// may.
func (h *Handlers) Job(ev Event) (Job, bool) { return h.job(ev, brought(&ev)) }

// job is Job for a request whose answers to questions have been read.
func (h *Handlers) job(ev Event, in *protocol.InputResponses) (Job, bool) {
	if ev.Kind != lifecycle.RequestReceived {
		return Job{}, false
	}
	j := Job{Call: ev.Call, Method: ev.Method}
	switch ev.Method {
	case protocol.MethodToolsCall:
		p, err := called(ev)
		f := h.tool(p.Name)
		if err != nil || f == nil {
			return Job{}, false
		}
		j.run = running(asking(ev.Revision, in, f, p, putTool))
	case protocol.MethodResourcesRead:
		p, err := protocol.Decode[protocol.ReadResourceParams](ev.Body)
		f := h.reader(p.URI)
		if err != nil || f == nil {
			return Job{}, false
		}
		j.run = running(asking(ev.Revision, in, f, p, func(p *protocol.ReadResourceParams, in *protocol.InputResponses) { p.Input = in }))
	case protocol.MethodPromptsGet:
		p, err := protocol.Decode[protocol.GetPromptParams](ev.Body)
		f := h.prompt(p.Name)
		if err != nil || f == nil {
			return Job{}, false
		}
		j.run = running(asking(ev.Revision, in, f, p, func(p *protocol.GetPromptParams, in *protocol.InputResponses) { p.Input = in }))
	case protocol.MethodCompletionComplete:
		p, err := protocol.Decode[protocol.CompleteParams](ev.Body)
		f := h.completer(&p)
		if err != nil || f == nil {
			return Job{}, false
		}
		j.run = running(func(ctx context.Context, c Caller) (protocol.Result, error) { return result(f(ctx, c, p)) })
	case protocol.MethodResourcesSubscribe:
		p, err := protocol.Decode[protocol.SubscribeParams](ev.Body)
		if err != nil || !h.has((*Handlers).asks) {
			return Job{}, false
		}
		f := h.subscription(p.URI)
		j.run = running(func(ctx context.Context, c Caller) (protocol.Result, error) {
			return protocol.EmptyResult{}, f(ctx, c, p)
		})
	default:
		return Job{}, false
	}
	return j, true
}

func putTool(p *protocol.CallToolParams, in *protocol.InputResponses) { p.Input = in }

// called returns the params of tools/call. Absent or null arguments become {}, so that a function
// has one case instead of three (TOOL-013).
func called(ev Event) (p protocol.CallToolParams, err error) {
	if err = p.DecodeJSON(ev.Body, ev.Span); p.Arguments == "" {
		p.Arguments = "{}"
	}
	return p, err
}

var errNoResult = errors.New("no result")
