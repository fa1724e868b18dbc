package app

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/typed"
)

// tool registers a tool whose errors the model sees, also when the client refused what the tool
// asked of it.
func tool[In, Out any](h *server.Handlers, t protocol.Tool, f typed.Func[In, Out]) {
	typed.Tool(h, t, func(ctx context.Context, c server.Caller, in In) (Out, error) {
		out, err := f(ctx, c, in)
		if err != nil && !errors.As(err, new(*protocol.InputRequired)) { // which is what it has to ask
			err = errors.New(err.Error())
		}
		return out, err
	})
}

// The arguments and results of the tools.
type (
	textArgs struct {
		Text string `json:"text"`
	}
	promptArgs struct {
		Prompt string `json:"prompt"`
	}
	messageArgs struct {
		Message string `json:"message"`
	}
	addends struct {
		A float64 `json:"a"`
		B float64 `json:"b"`
	}
	sum struct {
		Sum float64 `json:"sum"`
	}
	slowArgs struct {
		MS    int64 `json:"ms" doc:"How long it takes." schema:"min=0"`
		Steps int64 `json:"steps" doc:"How often it reports." schema:"min=1,default=1"`
	}
	logArgs struct {
		Level protocol.LoggingLevel `json:"level"`
		Text  string                `json:"text"`
	}
)

// plain are the tools that need nothing of the client.
func plain(h *server.Handlers) {
	tool(h, protocol.Tool{Name: "echo", Description: "Returns its text.", Icons: []protocol.Icon{icon}},
		func(_ context.Context, _ server.Caller, in textArgs) (string, error) { return in.Text, nil })
	tool(h, protocol.Tool{Name: "sum", Description: "Adds."},
		func(_ context.Context, _ server.Caller, in addends) (sum, error) {
			if math.IsInf(in.A+in.B, 0) {
				return sum{}, errors.New("the sum is too large")
			}
			return sum{in.A + in.B}, nil
		})
	tool(h, protocol.Tool{Name: "slow", Description: "Takes ms milliseconds and reports each step."},
		func(ctx context.Context, c server.Caller, in slowArgs) (string, error) {
			total := float64(in.Steps)
			for i := range in.Steps {
				if err := sleep(ctx, time.Duration(in.MS)*time.Millisecond/time.Duration(in.Steps)); err != nil {
					return "", err // the call has ended: nobody waits
				}
				p := protocol.ProgressParams{Progress: float64(i + 1), Total: &total, Message: fmt.Sprintf("step %d of %d", i+1, in.Steps)}
				if err := c.Progress(p); err != nil {
					return "", err
				}
			}
			return fmt.Sprintf("done in %d steps", in.Steps), nil
		})
	tool(h, protocol.Tool{Name: "fail", Description: "Fails with the message."},
		func(_ context.Context, _ server.Caller, in messageArgs) (string, error) {
			return "", errors.New(in.Message)
		})
	tool(h, protocol.Tool{Name: "content", Description: "Returns a block of every kind."},
		func(context.Context, server.Caller, struct{}) ([]protocol.Content, error) {
			return []protocol.Content{
				protocol.TextContent("text"),
				protocol.ImageContent("image/png", pixel),
				protocol.AudioContent("audio/wav", silence),
				protocol.LinkContent(greeting),
				protocol.EmbeddedContent(protocol.TextResource(greeting.URI, greeting.MIMEType, "Hello!")),
			}, nil
		})
}

// sleep waits, but no longer than the call goes on.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
