package nethttp

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server"
)

// differsError says how the headers of a request differ from its body.
type differsError struct{ why string }

func (e *differsError) Error() string { return "nethttp: " + e.why }

// differs returns a *differsError if the headers do not say what the body says. catalog is what the session
// is offered. A request that does not say what it is made under is judged for that alone.
func (x *exchange) differs(m jsonrpc.Message, catalog *server.Catalog) error {
	if why := headers.Differs(m, x.r.Header.Values, inHeaders(m, catalog)); why != "" && !x.unsaid {
		return &differsError{why}
	}
	return nil
}

// catalog returns what a session is offered: by its Companion, or by the Handler. The stripe is locked.
func (h *Handler) catalog(id string) *server.Catalog {
	own := h.stripe(id).sides[id].handlers()
	if own == nil {
		return h.app.Load().cfg.Catalog
	}
	list, _ := own.Catalog() // offer tells the Log of an error
	return list
}

// inHeaders returns the arguments that the headers of a call have to repeat.
func inHeaders(m jsonrpc.Message, catalog *server.Catalog) []headers.Param {
	if m.Method != protocol.MethodToolsCall || catalog == nil {
		return nil
	}
	tool, _ := catalog.Tool(rawjson.Text(string(m.Body), "name"))
	schema, _ := rawjson.Get(string(tool), "inputSchema")
	list, _ := headers.Params(jsonrpc.Raw(schema)) // of a tool that no client takes, none
	return list
}
