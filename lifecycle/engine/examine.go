package engine

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// examine checks a result beyond its shape: against what was asked, and for what the
// specification forbids but a receiver can live with, which is reported and mended.
func (c *Core) examine(v *Outbound, m *jsonrpc.Message, o *lifecycle.Output) error {
	switch v.Method {
	case protocol.MethodElicitationCreate:
		return elicited(v, m)
	case protocol.MethodCompletionComplete:
		r, err := protocol.Decode[protocol.CompleteResult](m.Body)
		if completion, cut := r.Completion.Limit(); err == nil && cut {
			Violation("COMPL-008", m, o)
			r.Completion = completion
			m.Body, m.Span = jsonrpc.Raw(r.AppendJSON(nil)), jsonrpc.Span{}
		}
	case protocol.MethodRootsList:
		r, err := protocol.Decode[protocol.ListRootsResult](m.Body)
		if err == nil && r.Validate() != nil {
			Violation("ROOT-005", m, o) // and delivered: the server decides
		}
	}
	return nil
}

// elicited checks what a user filled in against the form that was sent (elicitation,
// Response Actions). Content without accept does not count.
func elicited(v *Outbound, m *jsonrpc.Message) error {
	r, err := protocol.Decode[protocol.ElicitResult](m.Body)
	if err != nil {
		return err
	}
	if r.Action != protocol.ActionAccept {
		m.Body, m.Span = jsonrpc.Raw(rawjson.Set(string(m.Body), "content", "")), jsonrpc.Span{}
		return nil
	}
	var form protocol.ElicitSchema
	if v.ext == nil || form.DecodeJSON(jsonrpc.Raw(v.ext.asked), jsonrpc.Span{}) != nil {
		return nil
	}
	return form.Check(r.Content)
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
