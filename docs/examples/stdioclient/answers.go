package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// serve answers what the server asks.
func (d *driver) serve(ev client.Event) error {
	var answer, instead protocol.Result
	if ev.Method == protocol.MethodElicitationCreate {
		answer, instead = d.user(ev), protocol.ElicitResult{Action: protocol.ActionCancel}
	} else {
		answer = model(ev, d.s.Revision().Capabilities().Has(protocol.CapSamplingTools))
	}
	s, out, err := d.s.Respond(time.Now(), ev.Call, answer)
	if err != nil && instead != nil {
		fmt.Fprintln(d.log, "  (the form does not take that:", err.Error()+")")
		s, out, err = d.s.Respond(time.Now(), ev.Call, instead)
	}
	if err != nil {
		return err
	}
	d.s = s
	return d.step(out)
}

// user answers for the user. A field of a form that was not filled in has its default.
func (d *driver) user(ev client.Event) protocol.ElicitResult {
	answer := d.answer
	p, err := protocol.Decode[protocol.ElicitParams](ev.Body) // the State has checked it
	switch {
	case err != nil || answer.Action != protocol.ActionAccept:
	case p.Mode == protocol.ElicitURL:
		d.browse(p)
	default:
		answer.Content = p.RequestedSchema.Fill(answer.Content)
	}
	return answer
}

// model answers for a model: it uses the first tool that it is given, once, if the session
// has tools for models.
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

// browse does what a browser would: it shows where to go. A program with a user asks
// before, and shows whose page it is.
func (d *driver) browse(p protocol.ElicitParams) {
	fmt.Fprintln(d.log, "  (to be opened:", p.URL+")")
}

// visitTime is how long a page may take before a call is made again without the word of
// the server that it is done, which not all servers send.
const visitTime = 3 * time.Second

// visit sends the user to the pages that an error asks for, and waits until it is done.
func (d *driver) visit(e *jsonrpc.Error) error {
	pages, err := protocol.URLElicitations(*e)
	if err != nil {
		return errors.Join(e, err)
	}
	open := map[string]bool{}
	for _, p := range pages {
		d.browse(p)
		open[p.ElicitationID] = true
	}
	err = d.pass(visitTime, func() bool {
		for ev, ok := d.heard.take(protocol.MethodElicitationComplete); ok; ev, ok = d.heard.take(protocol.MethodElicitationComplete) {
			p, _ := protocol.Decode[protocol.ElicitationCompleteParams](ev.Body) // the State has checked it
			delete(open, p.ElicitationID)
		}
		return len(open) == 0
	})
	fmt.Fprintf(d.log, "  (pages that are not known to be done: %d)\n", len(open))
	return err
}
