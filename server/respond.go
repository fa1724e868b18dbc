package server

import (
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Respond answers a call with a result: the type that fits the method, or Raw. A result
// that breaks the outputSchema of its tool goes out as a failed one, with the event
// LocalViolation; an agreement to one subscription too many as -32603. Errors: ErrGone (the call
// was answered or cancelled meanwhile; nothing is wrong), ErrParams (the result does not
// fit).
func (s State) Respond(now time.Time, call Call, result protocol.Result) (State, Output, error) {
	var o Output
	body, err := s.result(call, result)
	if err != nil {
		return s, o, err
	}
	s.core.Clock(now)
	s.respond(call, body, &o)
	return s, o, nil
}

// respond answers a call with what result returned.
func (s *State) respond(call Call, body jsonrpc.Raw, o *Output) {
	switch method, asked := s.core.Asked(call); {
	case method == protocol.MethodToolsCall && !s.core.PassThrough():
		body = s.outcome(call, asked, body, o)
	case changes(method) && !s.apply(method, asked): // other calls have reached the limit since
		_ = s.core.Fail(call, tooManySubscriptions(), o) // the call is open, and the error is one
		return
	}
	s.core.Respond(call, body, o)
}

// result returns the JSON of a result of an open call, completed.
func (s *State) result(call Call, result protocol.Result) (jsonrpc.Raw, error) {
	body, err := s.core.Result(call, result)
	if err != nil {
		return "", err
	}
	method, _ := s.core.Asked(call)
	return s.complete(method, body), nil
}

// encode is result for a call that has no place among the open requests.
func (s *State) encode(method protocol.Method, result protocol.Result) (jsonrpc.Raw, error) {
	body, err := s.core.Encode(method, result)
	if err != nil {
		return "", err
	}
	return s.complete(method, body), nil
}

// complete completes a result as the specification asks: at most 100 completion values
// (completion, Completion Results), and structured content twinned in a text block where
// there is no other content (tools, Structured Content).
func (s *State) complete(method protocol.Method, body jsonrpc.Raw) jsonrpc.Raw {
	if s.core.PassThrough() {
		return body
	}
	switch method {
	case protocol.MethodCompletionComplete:
		body, _ = protocol.LimitCompletion(body)
	case protocol.MethodToolsCall:
		if strings.HasPrefix(string(body), `{"content":[{`) {
			break // nearly all
		}
		content, _ := rawjson.Get(string(body), "content")
		blocks, _ := rawjson.Elements(content)
		if _, some := blocks.Next(); some {
			break
		}
		if structured, ok := rawjson.Get(string(body), "structuredContent"); ok && structured != "null" {
			block := protocol.TextContent(structured).AppendJSON([]byte{'['})
			body = jsonrpc.Raw(rawjson.Set(string(body), "content", string(append(block, ']'))))
		}
	}
	return body
}

// Fail answers a call with an error. Errors: ErrGone, ErrParams (code 0, or data that
// is not JSON).
func (s State) Fail(now time.Time, call Call, e jsonrpc.Error) (State, Output, error) {
	var o Output
	t := s
	t.core.Clock(now)
	if err := t.core.Fail(call, e, &o); err != nil {
		return s, Output{}, err
	}
	return t, o, nil
}

// Notify sends a notification, within a call or, with the zero Call, outside of any.
// A log message below the client's level and an update that the client did not
// subscribe to are left out, which is no error. Errors: ErrPhase, ErrCapability,
// ErrRevision, ErrParams, ErrGone (within is closed).
func (s State) Notify(now time.Time, n protocol.Params, within Call) (State, Output, error) {
	var o Output
	t := s
	t.core.Clock(now)
	if err := t.core.Notify(n, within, &o); err != nil {
		return s, Output{}, err
	}
	if !t.wanted(&o) {
		o.Send = nil
	}
	return t, o, nil
}

// Finish answers the call of an Answer: what a Job came to, or what a relay got. A
// result that does not fit its method becomes -32603, so that the client gets an answer,
// and comes back as ErrParams: the one verb whose error stands beside the next State and an
// Output to act on. Other errors: ErrGone, with the State as it was.
func (s State) Finish(now time.Time, a Answer) (State, Output, error) {
	if !s.core.Open(a.Call) {
		return s, Output{}, lifecycle.ErrGone
	}
	var o Output
	s.core.Clock(now)
	err := s.finish(a, &o)
	return s, o, err
}

func (s *State) finish(a Answer, o *Output) (err error) {
	if a.Err != nil {
		err = s.core.Fail(a.Call, *a.Err, o)
	} else {
		var body jsonrpc.Raw
		if body, err = s.result(a.Call, a.Result); err == nil {
			s.respond(a.Call, body, o)
		}
	}
	return s.core.FailInstead(a.Call, err, o)
}
