package server

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/protocol/uritemplate"
)

// compile reads the schemas of the tools. With schema.Basic it fails for a schema that cannot be
// used (SCHEMA-106, SCHEMA-108).
func (c *Catalog) compile(items Items) error {
	c.checks = make([]check, len(c.tools.keys))
	for _, t := range items.Tools {
		i, _ := slices.BinarySearch(c.tools.keys, t.Name)
		own, _ := rawjson.Get(c.tools.text[c.tools.from[i]:c.tools.to[i]], "inputSchema") // in memory that is kept anyway
		c.checks[i].mirrored, _ = headers.Params(jsonrpc.Raw(own))                        // none if the schema violates the rules for them
		if t.OutputSchema != "" {
			// Structured content is required even if the schema accepts every value.
			c.checks[i].output = func(jsonrpc.Raw) error { return nil }
		}
		for _, side := range [...]struct {
			raw    jsonrpc.Raw
			f      *func(jsonrpc.Raw) error
			output bool
		}{{t.InputSchema, &c.checks[i].input, false}, {t.OutputSchema, &c.checks[i].output, true}} {
			switch raw := jsonrpc.Raw(strings.Clone(string(side.raw))); v := items.Schemas.(type) {
			case nil, schema.Basic:
				basic, _ := v.(schema.Basic)
				s, err := basic.Compile(cmp.Or(raw, `{"type":"object"}`))
				if err != nil && (!side.output || s.IsZero()) { // an outputSchema may allow any value (TOOL-204)
					return fmt.Errorf("server: tools: %q: %w", t.Name, err)
				}
				if !s.IsZero() || side.output && raw != "" && err == nil { // a zero schema still requires an object
					*side.f = checked(s, raw, side.output)
				}
			case schema.Lenient:
				s, faults, ignored := v.Read(cmp.Or(raw, `{"type":"object"}`))
				other := side.output && slices.Contains(faults, noObject)
				if other {
					if all, _ := schema.Basic(v).Compile(raw); !all.IsZero() {
						s, faults, other = all, nil, false
					}
				}
				for _, at := range ignored {
					faults = append(faults, schema.Fault{Path: at, Keyword: schema.KeywordUnchecked})
				}
				for _, f := range faults {
					c.unchecked = append(c.unchecked, Unchecked{strings.Clone(t.Name), side.output, f})
				}
				if other { // and other faults remain
					*side.f = func(value jsonrpc.Raw) error { return v.Validate(raw, value) }
				} else if !s.IsZero() || side.output && raw != "" && len(faults) == 0 {
					*side.f = checked(s, raw, side.output)
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

// noObject is the fault of a schema that is not for an object. An inputSchema must be for one, an
// outputSchema need not.
var noObject = schema.Fault{Path: "/type", Keyword: schema.KeywordSchema}

// checked returns the check of a schema. Its errors for arguments are written for a model to act
// on; its errors for results are for the program.
func checked(s schema.Schema, raw jsonrpc.Raw, output bool) func(jsonrpc.Raw) error {
	if output {
		return s.ValidateDecoded
	}
	return func(value jsonrpc.Raw) error { return s.CheckArguments(cmp.Or(raw, `{"type":"object"}`), value) }
}

func (c *Catalog) parseTemplates(list []protocol.ResourceTemplate) error {
	var parsed []uritemplate.Template
	for _, t := range list {
		p, err := uritemplate.Parse(strings.Clone(t.URITemplate))
		if err != nil {
			return fmt.Errorf("server: resourceTemplates: %q: %w", t.URITemplate, err)
		}
		parsed = append(parsed, p)
	}
	c.match = uritemplate.NewSet(parsed...)
	return nil
}

// tool returns the check of a tool; false if the catalog does not list it.
func (c *Catalog) tool(name string) (check, bool) {
	if c.upper != nil {
		if t, known := c.upper.tool(name); known {
			return t, true
		}
		return c.under.tool(name)
	}
	i, found := slices.BinarySearch(c.tools.keys, name)
	if !found {
		return check{}, false
	}
	return c.checks[i], true
}

// HeaderParams returns the arguments of a tool that the headers of a call must repeat (headers.Differs):
// none if the tool is not listed, or if its schema violates the rules for them. Do not change the slice.
func (c *Catalog) HeaderParams(tool string) []headers.Param {
	if c == nil {
		return nil
	}
	t, _ := c.tool(tool)
	return t.mirrored
}

// refuseArguments answers arguments that violate the inputSchema (TOOL-112), with a failed result
// unless the policy says otherwise, so that the model sees the faults and can correct them. The
// text is the same as that of a typed function, with all faults. The error of a validator may quote
// what the client wrote, so it never becomes the message of an error.
func (s *State) refuseArguments(err error, m *jsonrpc.Message, o *Output) {
	const text = "invalid arguments"
	if s.cfg.env.Policy.StrictArguments {
		e := protocol.InvalidParams(text)
		e.Data = jsonrpc.Raw(append(rawjson.AppendQuote([]byte(`{"reason":`), err.Error()), '}'))
		engine.ReplyError(m, e, o)
		return
	}
	engine.Reply(m, jsonrpc.Raw(protocol.ErrorResult(text+": "+err.Error()).AppendJSON(nil)), o)
}

// outcome makes a result what is sent. A result that violates the outputSchema of its tool
// becomes a failed one (tools, Output Schema). A result that should not be sent but can be is
// reported. name is the tool, "" if its results are not checked.
func (s *State) outcome(call Call, row *protocol.Row, name string, reply *protocol.Encoded, o *Output) {
	if row.Names != protocol.ToolList || s.core.PassThrough() {
		return
	}
	if name != "" {
		if t, _ := s.catalog().tool(name); t.output != nil {
			if err := broken(t.output, &reply.Info); err != nil {
				engine.LocalViolation("TOOL-026", row.Method, call, &lifecycle.Cause{Err: fmt.Errorf("server: tool %q: structuredContent: %w", name, err)}, o)
				reply.Body = jsonrpc.Raw(protocol.ErrorResult(brokenText(err)).AppendJSON(nil))
				reply.Common, reply.Headed = true, false
				return
			}
		}
	}
	if reply.Info.Embeds && !s.cfg.env.Caps.Has(protocol.CapResources) {
		engine.LocalViolation("TOOL-033", row.Method, call, nil, o)
	}
}

// broken returns how a result violates the outputSchema of its tool; nil if it does not. Failed
// results and results that ask are not checked (TOOL-027).
func broken(output func(jsonrpc.Raw) error, result *protocol.ResultInfo) error {
	switch {
	case result.Failed, result.Asks:
		return nil
	case result.Structured == "":
		return errUnstructured
	}
	return output(result.Structured)
}

var errUnstructured = errors.New("missing")

// brokenText tells the client where a result violates the outputSchema. It omits the error of a
// Validator from outside package schema, because its text may contain the values.
func brokenText(err error) string {
	const text = "the tool gave a result that its output schema does not allow"
	var f schema.Fault
	switch {
	case errors.Is(err, errUnstructured):
		return text + ": structuredContent is missing"
	case !errors.As(err, &f), f.Keyword == schema.KeywordSchema:
		return text
	}
	f.Path = rawjson.Clip(f.Path, 200)
	return text + ": " + strings.TrimPrefix(f.Error(), "schema: ")
}
