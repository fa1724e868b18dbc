package server

import (
	"errors"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Job is one request with the function that answers it, taken out of the State so
// that any goroutine may run it.
type Job struct {
	// Call is the request that the Job answers.
	Call Call
	// Method is its method.
	Method string
	run    func() (protocol.Result, error)
}

// Run runs the function.
func (j Job) Run() Answer { return answer(j.Call, j.Method, j.run) }

func answer(call Call, method string, run func() (protocol.Result, error)) Answer {
	r, err := run()
	return settle(call, method, r, err)
}

// settle turns what a function returned into what goes out (tools, Error Handling).
func settle(call Call, method string, r protocol.Result, err error) Answer {
	if err == nil {
		return Answer{Call: call, Result: r}
	}
	switch rpc := refusal(err); {
	case rpc != nil:
		return Answer{Call: call, Err: rpc}
	case method == protocol.MethodToolsCall.String():
		return Answer{Call: call, Result: protocol.ErrorResult(err.Error())}
	}
	e := protocol.InternalError("internal error")
	return Answer{Call: call, Err: &e}
}

// refusal returns the JSON-RPC error that err is or wraps, if any.
func refusal(err error) *jsonrpc.Error {
	var pointer *jsonrpc.Error
	if errors.As(err, &pointer) && pointer != nil {
		return pointer
	}
	var value jsonrpc.Error
	if errors.As(err, &value) {
		return &value
	}
	return nil
}

// Job looks up who answers the request of a RequestReceived event and checks its
// params. It returns false for an event that h has no answer to: another Handlers or
// the application may have.
func (h *Handlers) Job(ev Event) (Job, bool) {
	if ev.Kind != lifecycle.RequestReceived {
		return Job{}, false
	}
	j := Job{Call: ev.Call, Method: ev.Method}
	switch protocol.MethodOf(ev.Method) {
	case protocol.MethodToolsCall:
		p, err := called(ev)
		f := h.tools[p.Name]
		if err != nil || f == nil {
			return Job{}, false
		}
		j.run = func() (protocol.Result, error) { return result(f(j.Call, p)) }
	case protocol.MethodResourcesRead:
		p, err := protocol.Decode[protocol.ReadResourceParams](ev.Body)
		f := h.reader(p.URI)
		if err != nil || f == nil {
			return Job{}, false
		}
		j.run = func() (protocol.Result, error) { return result(f(j.Call, p)) }
	case protocol.MethodPromptsGet:
		p, err := protocol.Decode[protocol.GetPromptParams](ev.Body)
		f := h.prompts[p.Name]
		if err != nil || f == nil {
			return Job{}, false
		}
		j.run = func() (protocol.Result, error) { return result(f(j.Call, p)) }
	case protocol.MethodCompletionComplete:
		p, err := protocol.Decode[protocol.CompleteParams](ev.Body)
		if err != nil || h.complete == nil {
			return Job{}, false
		}
		j.run = func() (protocol.Result, error) { return result(h.complete(j.Call, p)) }
	default:
		return Job{}, false
	}
	return j, true
}

// called returns the params of tools/call. Arguments that are absent or null are {}, so
// that a handler need not tell three cases apart.
func called(ev Event) (p protocol.CallToolParams, err error) {
	if err = p.DecodeJSON(ev.Body, ev.Span); p.Arguments == "" {
		p.Arguments = "{}"
	}
	return p, err
}

// result makes a Result of a pointer that may be nil.
func result[T any, P interface {
	*T
	protocol.Result
}](r P, err error) (protocol.Result, error) {
	if r == nil {
		if err == nil {
			err = errors.New("no result")
		}
		return nil, err
	}
	return r, err
}

// Handle answers inline what h can answer of the events of an Output, and returns
// the rest. It folds: h.Handle(s.Receive(now, m)) works, and several Handlers fold one
// after the other. It needs no time: the State's clock is current. A function that
// returns what does not fit its method is answered -32603 in its name.
func (h *Handlers) Handle(s State, out Output) (State, Output) {
	rest := out
	rest.Events = nil
	whole := true // nothing was taken out
	for i, ev := range out.Events {
		if a, ok := h.inline(ev); ok {
			var o Output
			s.core.Clock(time.Time{}) // a step of its own
			s, o, _ = s.finish(a)
			o.Opened = Call{}
			rest.Merge(o)
			whole = false
			continue
		}
		if whole && i == len(out.Events)-1 {
			rest.Events = out.Events
			break
		}
		rest.Events = append(rest.Events, ev)
	}
	return s, rest
}

// inline is Job and Run without what a goroutine needs for the usual case.
func (h *Handlers) inline(ev Event) (Answer, bool) {
	if ev.Kind == lifecycle.RequestReceived && ev.Method == protocol.MethodToolsCall.String() {
		p, err := called(ev)
		f := h.tools[p.Name]
		if err != nil || f == nil {
			return Answer{}, false
		}
		r, err := result(f(ev.Call, p))
		return settle(ev.Call, ev.Method, r, err), true
	}
	j, ok := h.Job(ev)
	if !ok {
		return Answer{}, false
	}
	return j.Run(), true
}

// Refuse answers what nobody answered: the last fold. A request of the specification
// for a name that nobody has gets the error that the specification asks for, any
// other -32603.
func Refuse(s State, out Output) (State, Output) {
	rest := out
	rest.Events = nil
	for _, ev := range out.Events {
		if ev.Kind != lifecycle.RequestReceived {
			rest.Events = append(rest.Events, ev)
			continue
		}
		e := Refusal(ev)
		var o Output
		s.core.Clock(time.Time{})
		s, o, _ = s.finish(Answer{Call: ev.Call, Err: &e})
		rest.Merge(o)
	}
	return s, rest
}

// Refusal returns the error for a request that nobody answers.
func Refusal(ev Event) jsonrpc.Error {
	switch protocol.MethodOf(ev.Method) {
	case protocol.MethodToolsCall:
		return protocol.InvalidParams("unknown tool")
	case protocol.MethodPromptsGet:
		return protocol.InvalidParams("unknown prompt")
	case protocol.MethodResourcesRead, protocol.MethodResourcesSubscribe:
		p, _ := protocol.Decode[protocol.ReadResourceParams](ev.Body)
		return protocol.ResourceNotFound(p.URI)
	}
	return protocol.InternalError("nobody answers this request")
}
