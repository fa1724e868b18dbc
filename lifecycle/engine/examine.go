package engine

import (
	"errors"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
)

// subject returns what the answer to a request of ours will be held against, or what it
// is about where the role wants to know that: a form, an output schema, a uri. It
// refuses what cannot go out.
func subject(method protocol.Method, body jsonrpc.Raw, info protocol.ParamsInfo, opt lifecycle.RequestOptions) (string, error) {
	switch {
	case method.NamesOne() && info.Subject == "":
		return "", errNoName
	case method.OfResource() && info.Subject == "": // any other may be one that the peer listed
		return "", errNoURI
	case opt.OutputSchema != "" && (method != protocol.MethodToolsCall || !rawjson.Valid(string(opt.OutputSchema))):
		return "", errOutputSchema
	case method == protocol.MethodToolsCall:
		return string(opt.OutputSchema), nil
	case method == protocol.MethodElicitationCreate:
		form := Form(method, body)
		return form, checkForm(form)
	}
	return about(method, info), nil
}

// about returns the uri that the role wants to know when the request is answered.
func about(method protocol.Method, info protocol.ParamsInfo) string {
	if method == protocol.MethodResourcesSubscribe || method == protocol.MethodResourcesUnsubscribe {
		return info.Subject
	}
	return ""
}

var errNoName, errNoURI = errors.New("a name that is empty"), errors.New("a uri that is empty")

var errOutputSchema = errors.New("an output schema that is none, or not for a tool")

// result checks a result of the peer: its shape, against what was asked, and for what
// the specification forbids but a receiver can live with, which is reported and mended.
func (c *Core) result(row *protocol.Row, v *Outbound, m *jsonrpc.Message, o *lifecycle.Output) error {
	info, err := row.ReadResult(m.Body, m.Span)
	if err != nil && v.Method == protocol.MethodToolsCall && c.env.Policy.LenientContent {
		if content, _ := rawjson.Get(string(m.Body), "content"); content == "" || content == "null" {
			mended := jsonrpc.Raw(rawjson.Set(string(m.Body), "content", "[]"))
			if g, fault := row.ReadResult(mended, jsonrpc.Span{}); fault == nil { // else it stays as it came
				Violation(resultRules[v.Method], m, o)
				m.Body, m.Span, info, err = mended, jsonrpc.Span{}, g, nil
			}
		}
	}
	if err != nil {
		rest, _, ok := protocol.DropInvalidItems(v.Method, m.Body)
		if !ok {
			return err
		}
		Violation(itemRules[v.Method], m, o) // one odd item does not cost the list
		m.Body, m.Span = rest, jsonrpc.Span{}
		if info, err = row.ReadResult(m.Body, m.Span); err != nil {
			return err
		}
	}
	if info.Odd {
		Violation(ruleContentKind, m, o) // and delivered: newer peers have more kinds
	}
	switch v.Method {
	case protocol.MethodToolsCall:
		return c.structured(v, info, o)
	case protocol.MethodElicitationCreate:
		return elicited(v, m)
	case protocol.MethodCompletionComplete:
		if rest, cut := protocol.LimitCompletion(m.Body); cut {
			Violation("COMPL-008", m, o)
			m.Body, m.Span = rest, jsonrpc.Span{}
		}
	case protocol.MethodRootsList:
		if !protocol.ValidRoots(m.Body) {
			Violation("ROOT-005", m, o) // and delivered: the server decides
		}
	}
	return nil
}

// structured checks the result of a tool against the output schema that the caller
// gave (tools, Output Schema).
func (c *Core) structured(v *Outbound, info protocol.ResultInfo, o *lifecycle.Output) error {
	if v.ext == nil || v.ext.asked == "" || info.Failed || !v.Revision.Structured() {
		return nil // a revision without structured content has no promise to break
	}
	if info.Structured == "" {
		return errNotStructured
	}
	err := c.env.Schemas.Validate(jsonrpc.Raw(v.ext.asked), info.Structured)
	if err == nil {
		return nil
	}
	var f schema.Fault
	if errors.As(err, &f) && f.Keyword == schema.KeywordSchema {
		LocalViolation("TOOL-028", v.Method, lifecycle.Call{}, o) // a schema that cannot be used says nothing of the result
		o.Events[len(o.Events)-1].Cause = &lifecycle.Cause{Err: err}
		return nil
	}
	return schemaError{err}
}

var errNotStructured = errors.New("a result without the structured content that its tool promises")

// schemaError says that structured content does not satisfy the schema of its tool.
type schemaError struct{ error }

func (e schemaError) Unwrap() error { return e.error }

// resultRule returns the row that a result broke.
func resultRule(m protocol.Method, err error) string {
	var mismatch schemaError
	switch {
	case errors.Is(err, errNotStructured):
		return "TOOL-029"
	case errors.As(err, &mismatch):
		return "TOOL-028"
	}
	return resultRules[m]
}

// elicited checks what a user filled in against the form that was sent (elicitation,
// Response Actions). Content without accept does not count.
func elicited(v *Outbound, m *jsonrpc.Message) error {
	action, _ := rawjson.Get(string(m.Body), "action")
	if a, _ := rawjson.Unquote(action); protocol.ElicitAction(a) != protocol.ActionAccept {
		m.Body, m.Span = jsonrpc.Raw(rawjson.Set(string(m.Body), "content", "")), jsonrpc.Span{}
		return nil
	}
	var form protocol.ElicitSchema
	if v.ext == nil || form.DecodeJSON(jsonrpc.Raw(v.ext.asked), jsonrpc.Span{}) != nil {
		return nil
	}
	content, _ := rawjson.Get(string(m.Body), "content")
	return form.CheckJSON(jsonrpc.Raw(content))
}

// checkForm is stricter with a form that goes out than with one that comes in.
func checkForm(raw string) error {
	if raw == "" {
		return nil
	}
	var form protocol.ElicitSchema
	if err := form.DecodeJSON(jsonrpc.Raw(raw), jsonrpc.Span{}); err != nil {
		return err
	}
	return form.Validate()
}

// Form returns the requestedSchema of the params of elicitation/create, "" for those
// of any other method.
func Form(method protocol.Method, params jsonrpc.Raw) string {
	if method != protocol.MethodElicitationCreate {
		return ""
	}
	raw, _ := rawjson.Get(string(params), "requestedSchema")
	return raw
}
