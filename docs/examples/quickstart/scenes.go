package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

func (d *session) title(s string) { fmt.Fprintf(d.w, "\n# %s\n", s) }

// request sends a request of the client.
func (d *session) request(p protocol.Params, opt client.RequestOptions) client.Req {
	c, out := must(d.c.Request(d.now, p, opt))
	d.client(c, out)
	return out.Req
}

// call is the last call that the server's application got.
func (d *session) call() server.Call { return d.calls[len(d.calls)-1].Call }

// last is how the last request of the client ended.
func (d *session) last() client.Event { return d.ends[len(d.ends)-1] }

func (d *session) handshake() error {
	fmt.Fprintln(d.w, "# The handshake and a listing")
	d.client(must(d.c.Initialize(d.now)))
	d.request(protocol.ListToolsParams{}, client.RequestOptions{})
	r, err := protocol.Decode[protocol.ListToolsResult](d.last().Body)
	if err != nil || len(r.Tools) != 2 {
		return fmt.Errorf("listing: %d tools, %w", len(r.Tools), err)
	}
	return nil
}

func (d *session) progress() error {
	d.title("A call with progress, and a ping that does not wait for it")
	d.request(protocol.CallToolParams{Name: "poem", Arguments: `{"text":"roses"}`}, client.RequestOptions{Progress: true})
	call, total := d.call(), 2.0
	d.server(must(d.s.Progress(d.now, call, protocol.ProgressParams{Progress: 1, Total: &total})))
	d.request(protocol.PingParams{}, client.RequestOptions{})
	d.server(must(d.s.Progress(d.now, call, protocol.ProgressParams{Progress: 2, Total: &total})))
	d.server(must(d.s.Respond(d.now, call, protocol.TextResult("Roses are red."))))
	return d.last().Failure()
}

func (d *session) cancel() error {
	d.title("A cancelled call: the late answer goes nowhere")
	req := d.request(protocol.CallToolParams{Name: "poem"}, client.RequestOptions{})
	d.client(must(d.c.Cancel(d.now, req, "changed my mind")))
	if _, _, err := d.s.Respond(d.now, d.call(), protocol.TextResult("late")); !errors.Is(err, lifecycle.ErrGone) {
		return fmt.Errorf("a cancelled call was answered: %w", err)
	}
	return nil
}

func (d *session) sampling() error {
	d.title("The server asks the client's model in the middle of a call")
	d.request(protocol.CallToolParams{Name: "poem"}, client.RequestOptions{})
	call := d.call()
	d.server(must(d.s.Request(d.now, protocol.CreateMessageParams{
		Messages:  []protocol.SamplingMessage{{Role: protocol.RoleUser, Content: []protocol.Content{protocol.TextContent("Begin a poem.")}}},
		MaxTokens: 20,
	}, server.RequestOptions{Within: call})))
	r, err := protocol.Decode[protocol.CreateMessageResult](d.calls[len(d.calls)-1].Body)
	if err != nil {
		return err
	}
	d.server(must(d.s.Respond(d.now, call, protocol.TextResult(protocol.TextOf(r.Content)))))
	return d.last().Failure()
}

func (d *session) timeout() error {
	d.title("A call that nobody answers in time")
	d.request(protocol.CallToolParams{Name: "poem"}, client.RequestOptions{Timeout: 30 * time.Second})
	due, ok := d.c.NextDeadline()
	if !ok {
		return errors.New("no deadline")
	}
	fmt.Fprintf(d.w, "   %v later\n", due.Sub(d.now))
	d.now = due
	d.client(d.c.Tick(d.now))
	if !errors.Is(d.last().Failure(), &lifecycle.Cause{Kind: lifecycle.CauseTimedOut}) {
		return fmt.Errorf("no timeout: %w", d.last().Failure())
	}
	return nil
}

func (d *session) end() error {
	d.title("The end")
	d.client(d.c.Shutdown(d.now, 0))
	d.client(d.c.Disconnected(d.now, nil))
	d.server(d.s.Disconnected(d.now, nil))
	return errors.Join(d.c.Check(), d.s.Check())
}
