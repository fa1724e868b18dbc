package nethttp

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
)

// differsError says how the headers of a request contradict its body.
type differsError struct{ why string }

func (e *differsError) Error() string { return "nethttp: " + e.why }

// mirrors knows the arguments of tools that headers repeat. A Catalog does, and so does a Companion that answers
// calls itself.
type mirrors interface {
	HeaderParams(tool string) []headers.Param
}

// differs returns a *differsError if the headers contradict the body. offers is what the session is
// offered. A request without a valid envelope is judged only for that.
func (x *exchange) differs(m jsonrpc.Message, offers mirrors) error {
	var list []headers.Param
	if m.Method == protocol.MethodToolsCall {
		name, _ := rawjson.Unquote(string(protocol.MemberOf(m.Body, m.Span, "name")))
		list = offers.HeaderParams(name)
	}
	if why := headers.Differs(m, x.r.Header.Values, list); why != "" && !x.unsaid {
		return &differsError{why}
	}
	return nil
}

// offers returns what a session is offered: by its Companion, or by the Handler. The stripe is locked.
func (h *Handler) offers(id string) mirrors {
	sd := h.stripe(id).sides[id]
	if own, is := sd.c.(mirrors); is {
		return own
	}
	own := sd.handlers()
	if own == nil {
		return h.app.Load().cfg.Catalog
	}
	list, _ := own.Catalog() // offer logs the error
	return list
}
