package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// maxRounds bounds how often a function may ask before it answers: one that asks for ever, whatever
// it is told, ends.
const maxRounds = 8

var errRounds = fmt.Errorf("server: the function still asks after %d rounds of questions", maxRounds)

// asking returns what runs f until it asks the client nothing more (protocol.Ask). Each question is a
// request within the call. put sets the answers in the params.
func asking[P, T any, R interface {
	*T
	protocol.Result
}](f func(context.Context, Caller, P) (R, error), p P, put func(*P, *protocol.InputResponses)) func(context.Context, Caller) (protocol.Result, error) {
	return func(ctx context.Context, c Caller) (protocol.Result, error) {
		r, err := f(ctx, c, p)
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
}

// required returns what err says has to be asked, nil for nothing.
func required(err error) *protocol.InputRequired {
	var need *protocol.InputRequired
	if errors.As(engine.Real(err), &need) {
		return need
	}
	return nil
}

// answers asks the client, and returns what it has answered so far.
func answers(ctx context.Context, c Caller, before *protocol.InputResponses, need *protocol.InputRequired) (*protocol.InputResponses, error) {
	in := &protocol.InputResponses{Results: map[string]protocol.Raw{}, State: need.State}
	if before != nil {
		maps.Copy(in.Results, before.Results)
	}
	for _, q := range need.Questions {
		body, err := c.Request(ctx, q.Params, RequestOptions{})
		if errors.Is(err, lifecycle.ErrCapability) { // the model reads what it can act on
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

// unableError is an error with a text of its own.
type unableError struct {
	text string
	err  error
}

func (e *unableError) Error() string { return e.text }

func (e *unableError) Unwrap() error { return e.err }

// result makes a Result of a pointer that may be nil.
func result[T any, P interface {
	*T
	protocol.Result
}](r P, err error) (protocol.Result, error) {
	if r == nil {
		return nil, err
	}
	return r, err
}
