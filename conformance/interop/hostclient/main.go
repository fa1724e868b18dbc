// The hostclient command checks a server with our own client: package client/session, with
// client/remote over HTTP and client/child over pipes.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/conformance/interop/drive"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

func main() { drive.Main(connect) }

func connect(ctx context.Context, srv *drive.Server, h *drive.Hooks) (drive.Session, error) {
	cfg := client.Config{
		Info: protocol.Implementation{
			Name: "interop-host", Version: "1", Title: drive.Me.Title, Description: drive.Me.Description,
			WebsiteURL: drive.Me.Website, Icons: []protocol.Icon{{Src: drive.Me.Icon}},
		},
		Serve:            []string{protocol.MethodSamplingCreateMessage, protocol.MethodElicitationCreate, protocol.MethodRootsList},
		RootsListChanged: true,
		Declare:          protocol.CapSamplingTools | protocol.CapElicitationForm | protocol.CapElicitationURL,
	}
	if h.Revision != "" {
		r, known := protocol.ParseRevision(h.Revision)
		if !known {
			return nil, fmt.Errorf("there is no revision %s", h.Revision)
		}
		cfg.Revisions = []protocol.Revision{r}
		if !r.Capabilities().Has(protocol.CapElicitationForm) {
			cfg.Serve = []string{protocol.MethodSamplingCreateMessage, protocol.MethodRootsList}
			cfg.Declare = 0
		}
	}
	s := &driven{hooks: h, taken: make(chan struct{}, 1), roots: []protocol.Root{{URI: drive.RootURI, Name: "root"}}}
	t, err := s.dial(srv)
	if err != nil {
		return nil, err
	}
	if s.Client, err = session.Connect(ctx, cfg, t, session.Options{Serve: s.serve, Event: s.event}); err != nil {
		return nil, err
	}
	if s.listens() { // to the lists, for as long as it is connected
		_, err = s.listen(protocol.SubscriptionFilter{ToolsListChanged: true})
	}
	return s, err
}

// event records what the server says without being asked.
func (s *driven) event(_ *session.Client, ev client.Event) {
	switch {
	case ev.Kind != lifecycle.NotificationReceived:
		return
	case ev.Method == protocol.MethodAcknowledged:
		s.taken <- struct{}{}
		return
	}
	var p struct{ URI, Data, ElicitationID string }
	_ = json.Unmarshal([]byte(ev.Body), &p)
	s.hooks.Noted(ev.Method, p.URI+p.Data+p.ElicitationID)
}

// serve answers what the server asks.
func (s *driven) serve(_ context.Context, _ *session.Client, ev client.Event) (protocol.Result, error) {
	switch ev.Method {
	case protocol.MethodElicitationCreate:
		p, err := protocol.Decode[protocol.ElicitParams](ev.Body)
		if err != nil {
			return nil, err
		}
		return s.elicit(p), nil
	case protocol.MethodSamplingCreateMessage:
		p, err := protocol.Decode[protocol.CreateMessageParams](ev.Body)
		if err != nil {
			return nil, err
		}
		return s.sample(p), nil
	}
	s.hooks.RootsAsked()
	s.mu.Lock()
	defer s.mu.Unlock()
	return protocol.ListRootsResult{Roots: s.roots}, nil
}

func (s *driven) elicit(p protocol.ElicitParams) protocol.ElicitResult {
	if p.Mode == protocol.ElicitURL {
		return protocol.ElicitResult{Action: protocol.ElicitAction(s.hooks.Visit(p.URL, p.ElicitationID))}
	}
	action, content := s.hooks.Elicit(json.RawMessage(p.RequestedSchema.AppendJSON(nil)))
	r := protocol.ElicitResult{Action: protocol.ElicitAction(action)}
	if r.Action != protocol.ActionAccept {
		return r
	}
	r.Content = map[string]jsonrpc.Raw{}
	for name, v := range content {
		b, err := json.Marshal(v)
		if err != nil {
			panic(err) // the content is of simple values
		}
		r.Content[name] = jsonrpc.Raw(b)
	}
	r.Content = p.RequestedSchema.Fill(r.Content)
	return r
}

// sample answers for a model, with its first tool.
func (s *driven) sample(p protocol.CreateMessageParams) protocol.CreateMessageResult {
	var prompt, tool, result strings.Builder
	for _, m := range p.Messages {
		for _, c := range m.Content {
			switch c.Type {
			case protocol.ContentText:
				prompt.WriteString(c.Text)
			case protocol.ContentToolResult:
				result.WriteString(protocol.TextOf(c.ToolResult.Content))
			}
		}
	}
	if len(p.Tools) > 0 {
		tool.WriteString(p.Tools[0].Name)
	}
	text, use := s.hooks.Reason(prompt.String(), tool.String(), result.String())
	r := protocol.CreateMessageResult{Role: protocol.RoleAssistant, Model: "none", Content: []protocol.Content{protocol.TextContent(text)}}
	if use {
		r.StopReason = protocol.StopToolUse
		r.Content = []protocol.Content{protocol.ToolUseContent("use-1", tool.String(), `{"a":1,"b":2}`)}
	}
	return r
}

// Code returns the code of an error that the server answered, or would have: our client does
// not send params that break the schema.
func (s *driven) Code(err error) int {
	if errors.Is(err, lifecycle.ErrParams) {
		return int(jsonrpc.CodeInvalidParams)
	}
	var e *jsonrpc.Error
	if errors.As(err, &e) {
		return int(e.Code)
	}
	return 0
}

// Pages returns the ids of the elicitations that an error asks for.
func (s *driven) Pages(err error) (ids []string) {
	var e *jsonrpc.Error
	if !errors.As(err, &e) {
		return nil
	}
	pages, _ := protocol.URLElicitations(*e)
	for _, p := range pages {
		ids = append(ids, p.ElicitationID)
	}
	return ids
}
