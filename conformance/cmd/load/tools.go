package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

const (
	// slowTime is how long a slow call takes.
	slowTime = 400 * time.Millisecond
	// stopAfter is how long the function of a stopped call waits for the client's
	// cancellation, which may be lost on the way.
	stopAfter = 3 * time.Second
)

// notAnswered begins the text of the result of a call whose question got no answer.
const notAnswered = "the question was not answered"

// inputSchema is the schema of all tools: the number of the call.
const inputSchema = `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`

// handlers returns a tool for each kind of call. ask is the timeout for an answer of the client,
// which may be lost; driver is the Handler that serves them, once it exists.
func handlers(b *book, ask time.Duration, driver **nethttp.Handler) *server.Handlers {
	h := new(server.Handlers)
	t := tools{b, ask, driver}
	for k, f := range map[kind]func(context.Context, server.Caller, number) error{
		quick: t.quick, bulk: t.quick, noted: t.noted, asking: t.asking, slow: t.slow, stopped: t.stopped, polled: t.polled,
		told: t.told, ended: t.ended,
	} {
		h.Tool(protocol.Tool{Name: k.String(), InputSchema: inputSchema},
			func(ctx context.Context, c server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
				args := schema.ReadArguments(p.Arguments)
				n := number(args.Int("n"))
				if err := args.Err(); err != nil {
					return nil, err
				}
				b.start(n, k)
				defer func() { b.end(n, ctx.Err() != nil) }()
				if err := f(ctx, c, n); err != nil {
					return nil, err
				}
				return protocol.TextResult(answer(k, n)), nil
			})
	}
	return h
}

type tools struct {
	book   *book
	ask    time.Duration
	driver **nethttp.Handler
}

func (t tools) quick(context.Context, server.Caller, number) error { return nil }

// message is the log message of a note.
func message(n number, i int) protocol.LoggingMessageParams {
	return protocol.LoggingMessageParams{Level: protocol.LevelInfo, Data: protocol.StringValue(fmt.Sprintf("%d %d", n, i))}
}

// note sends a log message within the call.
func note(c server.Caller, n number, i int) error {
	err := c.Notify(message(n, i))
	if errors.Is(err, lifecycle.ErrGone) {
		err = nil // the client cancelled the call
	}
	return err
}

func (t tools) noted(ctx context.Context, c server.Caller, n number) error {
	for i := range noted.notes() {
		// The total is the number: messages came with 2025-03-26.
		if err := c.Progress(protocol.ProgressParams{Progress: float64(i + 1), Total: protocol.Ptr(float64(n))}); err != nil && !errors.Is(err, lifecycle.ErrGone) {
			return err
		}
		if err := note(c, n, i); err != nil {
			return err
		}
		wait(ctx, time.Duration(i)*time.Millisecond)
	}
	return nil
}

// asking asks the client's model to repeat the number.
func (t tools) asking(ctx context.Context, c server.Caller, n number) error {
	text := strconv.Itoa(int(n))
	body, err := c.Request(ctx, protocol.CreateMessageParams{
		Messages:  []protocol.SamplingMessage{{Role: protocol.RoleUser, Content: []protocol.Content{protocol.TextContent(text)}}},
		MaxTokens: 10,
	}, server.RequestOptions{Timeout: t.ask})
	if err != nil {
		return fmt.Errorf(notAnswered+": %w", err)
	}
	r, err := protocol.Decode[protocol.CreateMessageResult](body)
	if err != nil {
		return err
	}
	if got := protocol.TextOf(r.Content); got != text {
		t.book.report("answer of another question", "call %d has %q", n, got)
	}
	return nil
}

func (t tools) slow(ctx context.Context, c server.Caller, n number) error {
	for i := range slow.notes() {
		wait(ctx, slowTime/2)
		if err := note(c, n, i); err != nil {
			return err
		}
	}
	return nil
}

// stopped waits until the client has cancelled the call.
func (t tools) stopped(ctx context.Context, _ server.Caller, _ number) error {
	wait(ctx, stopAfter)
	return errors.New("nobody waits")
}

// polled closes the connection between its notes.
func (t tools) polled(ctx context.Context, c server.Caller, n number) error {
	if err := note(c, n, 0); err != nil {
		return err
	}
	// Before 2025-11-25 clients do not support it.
	if err := nethttp.HangUp(ctx, 20*time.Millisecond); err != nil && !errors.Is(err, lifecycle.ErrGone) && !errors.Is(err, lifecycle.ErrRevision) {
		return fmt.Errorf("hang up: %w", err)
	}
	wait(ctx, 50*time.Millisecond)
	return note(c, n, 1)
}

// told sends its note outside of the call.
func (t tools) told(ctx context.Context, _ server.Caller, n number) error {
	id, ok := nethttp.SessionFrom(ctx)
	if !ok {
		return errors.New("no session")
	}
	err := (*t.driver).Notify(context.WithoutCancel(ctx), id, message(n, 0))
	if errors.Is(err, lifecycle.ErrGone) {
		err = nil // the session has ended
	}
	return err
}

// ended ends the session without notice to the client.
func (t tools) ended(ctx context.Context, _ server.Caller, n number) error {
	id, ok := nethttp.SessionFrom(ctx)
	if !ok {
		return errors.New("no session")
	}
	t.book.forget(n.session())
	return (*t.driver).End(context.WithoutCancel(ctx), id)
}

// wait returns after d, or when ctx ends.
func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
