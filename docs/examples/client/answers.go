package main

import (
	"context"
	"errors"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// event handles events that no call waits for.
func (a *app) event(_ *session.Client, ev client.Event) {
	a.log.Println("  (" + describe(ev) + ")")
	if ev.Kind == lifecycle.NotificationReceived {
		a.heard.add(ev)
	}
}

func describe(ev client.Event) string {
	s := ev.Kind.String()
	if ev.Kind == lifecycle.PhaseChanged {
		return s + ": " + ev.From.String() + " -> " + ev.To.String()
	}
	for _, part := range []string{ev.Rule, ev.Method, string(ev.Body)} {
		if part != "" {
			s += ": " + part
		}
	}
	return s
}

// serve answers the requests of the server.
func (a *app) serve(ctx context.Context, c *session.Client, ev client.Event) (protocol.Result, error) {
	a.log.Println("  (" + describe(ev) + ")")
	// A user or a model takes a while. A server that did not ask for progress gets none.
	_ = c.Progress(ctx, ev.Call, protocol.ProgressParams{Progress: 1})
	if ev.Method == protocol.MethodElicitationCreate {
		return a.user(ev)
	}
	return model(ev, c.State().Revision().Capabilities().Has(protocol.CapSamplingTools)), nil
}

// user answers for the user.
func (a *app) user(ev client.Event) (protocol.ElicitResult, error) {
	a.mu.Lock()
	answer := a.answer
	a.mu.Unlock()
	p, err := protocol.Decode[protocol.ElicitParams](ev.Body)
	if err != nil || answer.Action != protocol.ActionAccept {
		return answer, err
	}
	if p.Mode == protocol.ElicitURL {
		a.browse(p)
	}
	r, err := p.Accept(answer.Content)
	if err != nil { // a program with a user shows the form again
		a.log.Println("  (the form does not take that:", err.Error()+")")
		return protocol.ElicitResult{Action: protocol.ActionCancel}, nil
	}
	return r, nil
}

// model answers for a model: it calls the first tool that it gets, once, if the session has tools
// for models.
func model(ev client.Event, tools bool) protocol.CreateMessageResult {
	r := protocol.CreateMessageResult{Role: protocol.RoleAssistant, Model: "none"}
	p, _ := protocol.Decode[protocol.CreateMessageParams](ev.Body) // the State has checked it
	text := "There is no model behind this example."
	for _, m := range p.Messages {
		for _, block := range m.Content {
			if block.Type == protocol.ContentToolResult {
				text += " A tool says: " + protocol.TextOf(block.ToolResult.Content)
				p.Tools = nil
			}
		}
	}
	if tools && len(p.Tools) > 0 && (p.ToolChoice == nil || p.ToolChoice.Mode != protocol.ToolChoiceNone) {
		t := p.Tools[0]
		r.StopReason = protocol.StopToolUse
		r.Content = []protocol.Content{protocol.ToolUseContent("use-1", t.Name, jsonrpc.Raw(madeUp(t.InputSchema)))}
		return r
	}
	r.Content = []protocol.Content{protocol.TextContent(text)}
	return r
}

// browse does what a browser would: it shows the url. A program with a user asks first, and shows
// who owns the page.
func (a *app) browse(p protocol.ElicitParams) {
	a.log.Println("  (to be opened:", p.URL+")")
}

// visitWait is how long to wait for a page before a call is repeated without the notification that
// the page is done, which not all servers send.
const visitWait = 3 * time.Second

// visit sends the user to the pages that a call needs.
func (a *app) visit(_ context.Context, _ *session.Client, pages []protocol.ElicitParams) error {
	a.mu.Lock()
	agrees := a.answer.Action == protocol.ActionAccept
	a.mu.Unlock()
	if !agrees {
		return errors.New("the user does not want to go there")
	}
	for _, p := range pages {
		a.browse(p)
	}
	return nil
}
