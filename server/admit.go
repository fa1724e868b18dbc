package server

import (
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// admit answers a request that the catalog shows to be invalid, before any application code sees it
// (tools and prompts, Error Handling; tools, Security Considerations). It reports whether the
// request is valid. For a tool whose results are checked it stores the name in in.Subject.
func (s *State) admit(in *engine.Intake, m *jsonrpc.Message, o *Output) bool {
	if in.Brings() && in.Row.Asks && (in.Info.Answers || s.core.PassThrough()) {
		var err error
		if in.Input, err = protocol.ReadResponses(m.Body, m.Span); err != nil { // MRTR-011, MRTR-014
			engine.ReplyError(m, protocol.InvalidParams("invalid input responses"), o)
			return false
		}
	}
	name := in.Info.Subject
	switch in.Row.Names {
	case protocol.ToolList:
		return s.admitTool(in, m, o)
	case protocol.PromptList:
		return s.admitPrompt(name, m, o)
	case protocol.ResourceList:
		return s.admitResource(in.Row, name, m, o)
	}
	if in.Row.Method == protocol.MethodCompletionComplete && s.unknownRef(m) {
		engine.ReplyError(m, protocol.InvalidParams("unknown reference"), o)
		return false
	}
	return true
}

// hides reports whether names that the catalog does not list are unknown: not if the application
// serves the list itself, or if Config.Unlisted is set.
func (s *State) hides(l *protocol.List) bool { return s.cfg.hides && !s.cfg.lists(l) }

func (s *State) admitResource(row *protocol.Row, uri string, m *jsonrpc.Message, o *Output) bool {
	switch {
	case uri == "":
		engine.ReplyError(m, protocol.InvalidParams("invalid uri"), o)
		engine.Violation("RES-035", m, o)
		return false
	case row.Setting != protocol.SettingUnsubscribe && s.unknownResource(row.Setting, uri):
		// RES-039: for reads and for subscriptions.
		engine.ReplyError(m, protocol.ResourceNotFound(uri), o)
		return false
	case row.Setting == protocol.SettingSubscribe && s.full(uri):
		engine.ReplyError(m, tooManySubscriptions(), o)
		return false
	case !s.core.PassThrough() && !protocol.ValidURI(uri):
		engine.Violation("RES-035", m, o) // reported only: the catalog may list an invalid uri
	}
	return true
}

func (s *State) admitTool(in *engine.Intake, m *jsonrpc.Message, o *Output) bool {
	if s.cfg.lists(protocol.ToolList) {
		return true
	}
	name := in.Info.Subject
	t, known := s.catalog().tool(name)
	switch {
	case !known && s.cfg.hides:
		// TOOL-017, TOOL-111
		engine.ReplyError(m, protocol.ToolList.Unknown(name), o)
		return false
	case !known || s.core.PassThrough():
		return true
	}
	if t.output != nil && in.Row.Revision().Structured() {
		in.Subject = name
	}
	if t.input == nil {
		return true
	}
	// TOOL-039
	err := t.input(in.Info.Arguments)
	if err != nil {
		s.refuseArguments(err, m, o)
	}
	return err == nil
}

func (s *State) admitPrompt(name string, m *jsonrpc.Message, o *Output) bool {
	c := s.catalog()
	switch {
	case s.cfg.lists(protocol.PromptList):
		return true
	case !c.prompts.has(name):
		if s.cfg.hides {
			// PROMPT-013
			engine.ReplyError(m, protocol.PromptList.Unknown(name), o)
			return false
		}
		return true
	case len(c.needs(name)) == 0 || s.core.PassThrough():
		return true
	}
	p, err := protocol.Decode[protocol.GetPromptParams](m.Body)
	// PROMPT-014, PROMPT-016
	for _, arg := range c.needs(name) {
		if _, ok := p.Arguments[arg]; !ok || err != nil {
			engine.ReplyError(m, protocol.InvalidParams("missing required argument"), o)
			return false
		}
	}
	return true
}

// unknownResource reports whether a uri is neither listed nor matched by a template. A subscription
// may also name a prefix of listed uris that ends with a slash (resources, Subscriptions).
func (s *State) unknownResource(to protocol.Setting, uri string) bool {
	c := s.catalog()
	if !s.hides(protocol.ResourceList) || s.cfg.lists(protocol.TemplateList) || c.resources.has(uri) {
		return false
	}
	if to == protocol.SettingSubscribe && strings.HasSuffix(uri, "/") {
		if c.resources.begins(uri) {
			return false
		}
	}
	return !c.matches(uri)
}

// unknownRef reports whether a completion names a prompt, resource or template that is not in the
// catalog (completion, Error Handling; COMPL-012).
func (s *State) unknownRef(m *jsonrpc.Message) bool {
	ref, _ := rawjson.Get(string(m.Body), "ref")
	member := func(name string) string {
		text := rawjson.Text(ref, name)
		return text
	}
	c, caps := s.catalog(), s.cfg.env.Caps
	prompts := caps.Has(protocol.CapPrompts) && s.hides(protocol.PromptList)
	resources := caps.Has(protocol.CapResources) && s.hides(protocol.TemplateList) && s.hides(protocol.ResourceList)
	switch member("type") {
	case protocol.RefPrompt:
		return prompts && !c.prompts.has(member("name"))
	case protocol.RefResource:
		uri := member("uri")
		// A listed uri, a template, or a uri that a template matches: "URI or URI template".
		return resources && !c.templates.has(uri) && !c.resources.has(uri) && !c.matches(uri)
	}
	return prompts || resources // an unknown type, which only PassThrough lets through
}
