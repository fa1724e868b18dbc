package server

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/protocol/uritemplate"
)

// check is what a tool demands of its arguments and of its structured results. A nil
// function demands nothing.
type check struct{ input, output func(value jsonrpc.Raw) error }

// compile reads the schemas of the tools.
func (c *Catalog) compile(items Items) error {
	c.checks = make([]check, len(c.tools.keys))
	for _, t := range items.Tools {
		i, _ := slices.BinarySearch(c.tools.keys, t.Name)
		if t.OutputSchema != "" {
			// Structured content is owed even where everything satisfies the schema.
			c.checks[i].output = func(jsonrpc.Raw) error { return nil }
		}
		for _, side := range [...]struct {
			raw    jsonrpc.Raw
			f      *func(jsonrpc.Raw) error
			output bool
		}{{t.InputSchema, &c.checks[i].input, false}, {t.OutputSchema, &c.checks[i].output, true}} {
			switch raw := jsonrpc.Raw(strings.Clone(string(side.raw))); v := items.Schemas.(type) {
			case nil, schema.Basic:
				s, err := schema.Compile(cmp.Or(raw, `{"type":"object"}`))
				if err != nil {
					return fmt.Errorf("server: tools: %q: %w", t.Name, err)
				}
				if !s.IsZero() {
					*side.f = s.Validate
				}
			case schema.Lenient:
				s, faults := schema.CompileLenient(cmp.Or(raw, `{"type":"object"}`))
				for _, f := range faults {
					c.unchecked = append(c.unchecked, Unchecked{strings.Clone(t.Name), side.output, f})
				}
				if !s.IsZero() {
					*side.f = s.Validate
				}
			case schema.None:
				*side.f = nil
			default:
				if raw != "" {
					*side.f = func(value jsonrpc.Raw) error { return v.Validate(raw, value) }
				}
			}
		}
	}
	slices.SortStableFunc(c.unchecked, func(a, b Unchecked) int { return strings.Compare(a.Tool, b.Tool) })
	return nil
}

func parseTemplates(list []protocol.ResourceTemplate) error {
	var errs []error
	for _, t := range list {
		if _, err := uritemplate.Parse(t.URITemplate); err != nil {
			errs = append(errs, fmt.Errorf("server: resourceTemplates: %q: %w", t.URITemplate, err))
		}
	}
	return errors.Join(errs...)
}

// has reports whether the list has an item of the key.
func (l *list) has(key string) bool {
	_, found := slices.BinarySearch(l.keys, key)
	return found
}

// tool returns what the catalog knows of a tool; false if it is not there.
func (c *Catalog) tool(name string) (check, bool) {
	i, found := slices.BinarySearch(c.tools.keys, name)
	if !found {
		return check{}, false
	}
	return c.checks[i], true
}

// admit answers what the catalog knows to be wrong before any application code sees it
// (tools and prompts, Error Handling; tools, Security Considerations). If there is
// nothing, ok is true and keep is what to remember until the application answers: what the
// request changes, or the name of a tool whose results are checked.
func (s *State) admit(in engine.Intake, m *jsonrpc.Message, o *Output) (keep string, ok bool) {
	c, name := s.catalog(), in.Gist.Subject
	switch method := in.Row.Method; {
	case method == protocol.MethodToolsCall && c.tools.declared && !s.cfg.serve[protocol.MethodToolsList]:
		t, known := c.tool(name)
		if !known {
			engine.Refuse(m, protocol.InvalidParams("unknown tool"), o)
			return "", false
		}
		if t.output != nil && s.core.Session().Revision.Structured() {
			keep = name
		}
		if t.input == nil {
			return keep, true
		}
		arguments, _ := rawjson.Get(string(m.Body), "arguments")
		if arguments == "null" {
			arguments = ""
		}
		err := t.input(jsonrpc.Raw(arguments))
		if err != nil {
			s.refuseArguments(err, m, o)
		}
		return keep, err == nil
	case method == protocol.MethodPromptsGet && c.prompts.declared && !s.cfg.serve[protocol.MethodPromptsList]:
		if !c.prompts.has(name) {
			engine.Refuse(m, protocol.InvalidParams("unknown prompt"), o)
			return "", false
		}
		if len(c.required[name]) == 0 {
			break
		}
		p, err := protocol.Decode[protocol.GetPromptParams](m.Body)
		for _, arg := range c.required[name] {
			if _, ok := p.Arguments[arg]; !ok || err != nil {
				engine.Refuse(m, protocol.InvalidParams("missing required argument"), o)
				return "", false
			}
		}
	case method == protocol.MethodCompletionComplete && s.unknownRef(m):
		engine.Refuse(m, protocol.InvalidParams("unknown reference"), o)
		return "", false
	case method.OfResource() && !protocol.ValidURI(name):
		engine.Refuse(m, protocol.InvalidParams("invalid uri"), o)
		engine.Violation("RES-035", m, o)
		return "", false
	case method == protocol.MethodResourcesSubscribe && s.full(name):
		engine.Refuse(m, tooManySubscriptions(), o)
		return "", false
	case changes(method):
		return name, true
	}
	return "", true
}

// unknownRef reports whether arguments are to be completed of a prompt, or of a resource
// or template, that is not in the catalog (completion, Error Handling).
func (s *State) unknownRef(m *jsonrpc.Message) bool {
	p, err := protocol.Decode[protocol.CompleteParams](m.Body)
	c := s.catalog()
	switch {
	case err != nil: // checked before
		return false
	case p.Ref.Type == protocol.RefPrompt:
		return c.prompts.declared && !s.cfg.serve[protocol.MethodPromptsList] && !c.prompts.has(p.Ref.Name)
	case !c.templates.declared || s.cfg.serve[protocol.MethodResourceTemplatesList] || s.cfg.serve[protocol.MethodResourcesList]:
		return false
	}
	return !c.templates.has(p.Ref.URI) && !c.resources.has(p.Ref.URI)
}

// refuseArguments answers arguments that break the inputSchema: so that the model sees
// what is wrong and can do better, if the policy does not say otherwise. What a validator
// says may hold what the client wrote: it is no message of an error.
func (s *State) refuseArguments(err error, m *jsonrpc.Message, o *Output) {
	const text = "invalid arguments"
	if s.cfg.env.Policy.StrictArguments {
		e := protocol.InvalidParams(text)
		e.Data = jsonrpc.Raw(append(rawjson.AppendQuote([]byte(`{"reason":`), err.Error()), '}'))
		engine.Refuse(m, e, o)
		return
	}
	engine.Reply(m, jsonrpc.Raw(protocol.ErrorResult(text+": "+err.Error()).AppendJSON(nil)), o)
}

// outcome returns the result of a tool as it goes out; name is "" for one whose results
// are not checked. One that breaks the outputSchema
// becomes a failed one (tools, Output Schema), and what should not be sent but can be is
// reported.
func (s *State) outcome(call Call, name string, body jsonrpc.Raw, o *Output) jsonrpc.Raw {
	if name != "" {
		if t, _ := s.catalog().tool(name); t.output != nil && !satisfies(t.output, body) {
			engine.Defect("TOOL-026", protocol.MethodToolsCall, call, o)
			return jsonrpc.Raw(protocol.ErrorResult("the tool gave a result that its output schema does not allow").AppendJSON(nil))
		}
	}
	if !s.cfg.env.Caps.Has(protocol.CapResources) && embeds(body) {
		engine.Defect("TOOL-033", protocol.MethodToolsCall, call, o)
	}
	return body
}

func satisfies(output func(jsonrpc.Raw) error, body jsonrpc.Raw) bool {
	if failed, _ := rawjson.Get(string(body), "isError"); failed == "true" {
		return true
	}
	structured, ok := rawjson.Get(string(body), "structuredContent")
	return ok && structured != "null" && output(jsonrpc.Raw(structured)) == nil
}

// embeds reports whether a tool result has an embedded resource.
func embeds(body jsonrpc.Raw) bool {
	if !strings.Contains(string(body), `"resource"`) {
		return false
	}
	list, _ := rawjson.Get(string(body), "content")
	blocks, _ := rawjson.Elements(list)
	for {
		block, ok := blocks.Next()
		if !ok {
			return false
		}
		if kind, _ := rawjson.Get(block, "type"); kind == `"resource"` {
			return true
		}
	}
}
