package server

import (
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// admit answers what the catalog knows to be wrong before any application code sees it
// (tools and prompts, Error Handling; tools, Security Considerations). If there is
// nothing, ok is true and keep is what to remember until the application answers: what the
// request changes, or the name of a tool whose results are checked.
func (s *State) admit(in engine.Intake, m *jsonrpc.Message, o *Output) (keep string, ok bool) {
	name := in.ParamsInfo.Subject
	switch method := in.Row.Method; {
	case method == protocol.MethodToolsCall:
		return s.admitTool(name, m, o)
	case method == protocol.MethodPromptsGet:
		return "", s.admitPrompt(name, m, o)
	case method == protocol.MethodCompletionComplete && s.unknownRef(m):
		engine.ReplyError(m, protocol.InvalidParams("unknown reference"), o)
		return "", false
	case method.OfResource() && name == "":
		engine.ReplyError(m, protocol.InvalidParams("invalid uri"), o)
		engine.Violation("RES-035", m, o)
		return "", false
	case method.OfResource() && method != protocol.MethodResourcesUnsubscribe && s.unknownResource(method, name):
		engine.ReplyError(m, protocol.ResourceNotFound(name), o)
		return "", false
	case method == protocol.MethodResourcesSubscribe && s.full(name):
		engine.ReplyError(m, tooManySubscriptions(), o)
		return "", false
	}
	if in.Row.Method.OfResource() && !s.core.PassThrough() && !protocol.ValidURI(name) {
		engine.Violation("RES-035", m, o) // and passed on: somebody listed it so
	}
	if changes(in.Row.Method) {
		return name, true
	}
	return "", true
}

// hides reports whether names that the catalog does not list are unknown: not where the
// application serves the list itself, or has asked for them.
func (s *State) hides(list protocol.Method) bool { return s.cfg.hides && !s.cfg.serve[list] }

func (s *State) admitTool(name string, m *jsonrpc.Message, o *Output) (keep string, ok bool) {
	if s.cfg.serve[protocol.MethodToolsList] {
		return "", true
	}
	t, known := s.catalog().tool(name)
	if !known {
		if s.hides(protocol.MethodToolsList) {
			engine.ReplyError(m, protocol.InvalidParams("unknown tool"), o)
			return "", false
		}
		return "", true
	}
	if s.core.PassThrough() {
		return "", true
	}
	if t.output != nil && s.core.Session().Revision.Structured() {
		keep = name
	}
	if t.input == nil {
		return keep, true
	}
	arguments := argumentsOf(m)
	err := t.input(jsonrpc.Raw(arguments))
	if err != nil {
		s.refuseArguments(err, m, o)
	}
	return keep, err == nil
}

// argumentsOf returns the arguments of tools/call, "" for none. Large ones are not read
// again: the span says where they lie.
func argumentsOf(m *jsonrpc.Message) (arguments string) {
	members, _ := rawjson.Members(string(m.Body))
	members.Jump(int(m.Span.Start), int(m.Span.End))
	for {
		name, val, ok := members.Next()
		switch {
		case !ok:
			return arguments
		case name != "arguments":
		case val == "null":
			arguments = ""
		default:
			arguments = val // of several the last, as everywhere
		}
	}
}

func (s *State) admitPrompt(name string, m *jsonrpc.Message, o *Output) bool {
	c := s.catalog()
	switch {
	case s.cfg.serve[protocol.MethodPromptsList]:
		return true
	case !c.prompts.has(name):
		if s.hides(protocol.MethodPromptsList) {
			engine.ReplyError(m, protocol.InvalidParams("unknown prompt"), o)
			return false
		}
		return true
	case len(c.required[name]) == 0 || s.core.PassThrough():
		return true
	}
	p, err := protocol.Decode[protocol.GetPromptParams](m.Body)
	for _, arg := range c.required[name] {
		if _, ok := p.Arguments[arg]; !ok || err != nil {
			engine.ReplyError(m, protocol.InvalidParams("missing required argument"), o)
			return false
		}
	}
	return true
}

// unknownResource reports whether a uri is neither listed nor matched by a template. Who
// subscribes may also name what the listed uris begin with, up to a slash (resources,
// Subscriptions).
func (s *State) unknownResource(method protocol.Method, uri string) bool {
	c := s.catalog()
	if !s.hides(protocol.MethodResourcesList) || s.cfg.serve[protocol.MethodResourceTemplatesList] || c.resources.has(uri) {
		return false
	}
	if method == protocol.MethodResourcesSubscribe && strings.HasSuffix(uri, "/") {
		if i, _ := slices.BinarySearch(c.resources.keys, uri); i < len(c.resources.keys) && strings.HasPrefix(c.resources.keys[i], uri) {
			return false
		}
	}
	_, found := c.match.Find(uri)
	return !found
}

// unknownRef reports whether arguments are to be completed of a prompt, or of a resource
// or template, that is not in the catalog (completion, Error Handling).
func (s *State) unknownRef(m *jsonrpc.Message) bool {
	ref, _ := rawjson.Get(string(m.Body), "ref")
	member := func(name string) string {
		val, _ := rawjson.Get(ref, name)
		text, _ := rawjson.Unquote(val)
		return text
	}
	c, caps := s.catalog(), s.cfg.env.Caps
	prompts := caps.Has(protocol.CapPrompts) && s.hides(protocol.MethodPromptsList)
	resources := caps.Has(protocol.CapResources) && s.hides(protocol.MethodResourceTemplatesList) && s.hides(protocol.MethodResourcesList)
	switch member("type") {
	case protocol.RefPrompt:
		return prompts && !c.prompts.has(member("name"))
	case protocol.RefResource:
		uri := member("uri")
		return resources && !c.templates.has(uri) && !c.resources.has(uri)
	}
	return prompts || resources // came through unchecked: what it names is not known
}
