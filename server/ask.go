package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/seal"
)

// maxRounds bounds how often a function may ask before it answers, so that one that always asks
// again ends (MRTR-040).
const maxRounds = 8

var errRounds = fmt.Errorf("server: the function still asks after %d rounds of questions", maxRounds)

// asking returns a function that runs f as untilAnswered does. in is what a request without a session has brought.
func asking[P, T any, R interface {
	*T
	protocol.Result
}](rev protocol.Revision, in *protocol.InputResponses, f func(context.Context, Caller, P) (R, error), p P, put func(*P, *protocol.InputResponses)) func(context.Context, Caller) (protocol.Result, error) {
	if in != nil {
		p = with(p, put, in)
	}
	sole := p // never assigned again, so the function captures its value
	return func(ctx context.Context, c Caller) (protocol.Result, error) {
		return untilAnswered(ctx, c, rev, f, sole, put)
	}
}

// with returns p with the answers set.
func with[P any](p P, put func(*P, *protocol.InputResponses), in *protocol.InputResponses) P {
	put(&p, in)
	return p
}

// untilAnswered runs f until it asks the client nothing more (protocol.Ask); each question is a request within the
// call (MRTR-038), and put sets the answers in the params. Without a session f runs once.
func untilAnswered[P, T any, R interface {
	*T
	protocol.Result
}](ctx context.Context, c Caller, rev protocol.Revision, f func(context.Context, Caller, P) (R, error), p P, put func(*P, *protocol.InputResponses)) (protocol.Result, error) {
	if rev.Stateless() {
		return once(ctx, c, f, p, rev)
	}
	r, err := f(ctx, c, p)
	if required(err) == nil {
		return result(r, err)
	}
	return rounds(ctx, c, f, p, put, err)
}

// rounds asks the client the questions of err and runs f again, until f asks nothing more.
func rounds[P, T any, R interface {
	*T
	protocol.Result
}](ctx context.Context, c Caller, f func(context.Context, Caller, P) (R, error), p P, put func(*P, *protocol.InputResponses), err error) (protocol.Result, error) {
	var r R
	var in *protocol.InputResponses
	for round := 0; err != nil; round++ {
		need := required(err)
		if need == nil {
			break
		}
		if round == maxRounds || len(need.Questions) == 0 {
			return nil, errRounds
		}
		if in, err = answers(ctx, c, in, need); err != nil {
			return nil, err
		}
		again := p
		put(&again, in)
		r, err = f(ctx, c, again)
	}
	return result(r, err)
}

// brought returns the answers in a request without a session, which were checked on arrival; nil
// for a request of a session.
func brought(ev *Event) *protocol.InputResponses {
	if !ev.Revision.Stateless() {
		return nil
	}
	in, _ := protocol.ReadResponses(ev.Body, ev.Span)
	return in
}

// once runs f without waiting for the client. If the revision has results that ask, the questions
// of f are the result, and the client repeats the request with the answers.
func once[P, T any, R interface {
	*T
	protocol.Result
}](ctx context.Context, c Caller, f func(context.Context, Caller, P) (R, error), p P, rev protocol.Revision) (protocol.Result, error) {
	if rev.Stateless() {
		return sealed(ctx, c, f, p)
	}
	r, err := f(ctx, c, p)
	if required(err) != nil {
		return nil, errInline
	}
	return result(r, err)
}

// sealed runs f for a request without a session: it opens the state that the client sent back, and
// seals the state that f wants back.
func sealed[P, T any, R interface {
	*T
	protocol.Result
}](ctx context.Context, c Caller, f func(context.Context, Caller, P) (R, error), p P) (protocol.Result, error) {
	if in := input(&p); in != nil && in.State != "" {
		s, of := c.State(), purpose(ctx, p)
		if s.cfg == nil {
			return nil, lifecycle.ErrGone // the call has ended
		}
		state, err := s.cfg.states.Open(in.State, of, s.now())
		if err != nil || !unpack(in, state) { // MRTR-016
			return nil, protocol.InvalidParams("invalid requestState")
		}
	}
	r, err := f(ctx, c, p)
	need := required(err)
	if need == nil {
		return result(r, err)
	}
	need = pack(input(&p), need)
	if s := c.State(); s.cfg != nil && need.State != "" {
		asked := *need
		expires := s.core.At(s.core.After(s.cfg.env.Timeouts.Human)) // zero if Timeouts.Human is off
		asked.State = s.cfg.states.Seal(need.State, purpose(ctx, p), expires)
		need = &asked
	}
	return need, nil
}

// packed is the prefix of a state that contains answers.
const packed = "answers "

// pack returns need with the answers so far in its state, because a client without a session sends
// only the answers to the last questions.
func pack(in *protocol.InputResponses, need *protocol.InputRequired) *protocol.InputRequired {
	var keys []string
	var results []protocol.Raw
	if in != nil {
		for _, key := range slices.Sorted(maps.Keys(in.Results)) {
			if !slices.ContainsFunc(need.Questions, func(q protocol.Question) bool { return q.Key == key }) {
				keys, results = append(keys, key), append(results, in.Results[key])
			}
		}
	}
	if keys == nil && !strings.HasPrefix(need.State, packed) {
		return need
	}
	all := *need
	all.State = packed + string(protocol.WithResponses("", keys, results, need.State))
	return &all
}

// unpack sets the state of a request, and adds the answers in it to questions that the request does not
// answer itself.
func unpack(in *protocol.InputResponses, state string) bool {
	text, ok := strings.CutPrefix(state, packed)
	if !ok {
		in.State = state
		return true
	}
	if !rawjson.Valid(text) { // only if the state is not sealed
		return false
	}
	before, err := protocol.ReadResponses(protocol.Raw(text), jsonrpc.Span{})
	if err != nil || before == nil {
		return false
	}
	if before.Results == nil {
		before.Results = map[string]protocol.Raw{}
	}
	maps.Copy(before.Results, in.Results)
	*in = *before
	return true
}

// PrincipalKey is the key of the context value, a string, with the id of the principal whose request a
// function answers, as the driver has authenticated it. State that a client sends back is sealed for that
// principal alone (Config.StateKeys).
type PrincipalKey struct{}

// purpose is what a state is sealed for: the same request of the same principal.
func purpose[P any](ctx context.Context, p P) seal.Purpose {
	of := seal.Purpose{}
	of.Principal, _ = ctx.Value(PrincipalKey{}).(string)
	var params protocol.Params
	switch p := any(p).(type) {
	case protocol.CallToolParams:
		p.Meta = ""
		params = p
	case protocol.ReadResourceParams:
		p.Meta = ""
		params = p
	case protocol.GetPromptParams:
		p.Meta = ""
		params = p
	}
	of.Method, of.Params = params.Method(), string(params.AppendJSON(nil))
	return of
}

// input returns the answers in a request; nil if it has none.
func input[P any](p *P) *protocol.InputResponses {
	var in *protocol.InputResponses
	switch p := any(p).(type) {
	case *protocol.CallToolParams:
		in = p.Input
	case *protocol.ReadResourceParams:
		in = p.Input
	case *protocol.GetPromptParams:
		in = p.Input
	}
	return in
}

// required returns the questions in err; nil if it has none.
func required(err error) *protocol.InputRequired {
	if err == nil { // the usual case, without the cost of errors.As
		return nil
	}
	var need *protocol.InputRequired
	if errors.As(engine.Real(err), &need) {
		return need
	}
	return nil
}

// answers asks the client, and returns its answers, added to before. The call ends with the error (MRTR-039).
func answers(ctx context.Context, c Caller, before *protocol.InputResponses, need *protocol.InputRequired) (*protocol.InputResponses, error) {
	in := &protocol.InputResponses{Results: map[string]protocol.Raw{}, State: need.State}
	if before != nil {
		maps.Copy(in.Results, before.Results)
	}
	for _, q := range need.Questions {
		if p, ok := q.Params.(protocol.ElicitParams); ok && p.Mode == protocol.ElicitURL && p.ElicitationID == "" { // MRTR-041
			p.ElicitationID = strconv.FormatUint(c.Call().Seq(), 10) + " " + q.Key
			q.Params = p
		}
		body, err := c.Request(ctx, q.Params, RequestOptions{})
		if errors.Is(err, lifecycle.ErrCapability) { // a text for the model
			what, _, _ := strings.Cut(q.Params.Method(), "/")
			return nil, &unableError{"the client cannot be asked: it does not support " + what, err}
		}
		if err != nil {
			return nil, fmt.Errorf("the client was asked and gave no answer: %w", err)
		}
		in.Results[q.Key] = body
	}
	return in, nil
}

// unableError is an error with another text.
type unableError struct {
	text string
	err  error
}

func (e *unableError) Error() string { return e.text }

func (e *unableError) Unwrap() error { return e.err }

// result converts a pointer that may be nil to a Result.
func result[T any, P interface {
	*T
	protocol.Result
}](r P, err error) (protocol.Result, error) {
	if r == nil {
		return nil, err
	}
	return r, err
}
