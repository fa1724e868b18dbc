package nethttp

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
)

// differsError says how the headers of a request differ from its body.
type differsError struct{ why string }

func (e *differsError) Error() string { return "nethttp: " + e.why }

// differs returns a *differsError if the headers do not say what the body says. offers says which tools there
// are. A request that does not say what it is made under is judged for that alone.
func (x *exchange) differs(m jsonrpc.Message, offers teller) error {
	if why := headers.Differs(m, x.r.Header.Values, inHeaders(m, offers)); why != "" && !x.unsaid {
		return &differsError{why}
	}
	return nil
}

// A teller is a Companion that says which tools it offers.
type teller interface {
	Tool(name string) (protocol.Raw, bool)
}

// offers returns what a session is offered: by its Companion, or by the Handler; nil for nothing. The stripe is
// locked.
func (h *Handler) offers(id string) teller {
	sd := h.stripe(id).sides[id]
	if t, is := sd.c.(teller); is {
		return t
	}
	own := sd.handlers()
	if own == nil {
		return h.tools()
	}
	if list, _ := own.Catalog(); list != nil { // offer tells the Log of an error
		return list
	}
	return nil
}

// tools returns what the Handler offers, nil for nothing.
func (h *Handler) tools() teller {
	if list := h.app.Load().cfg.Catalog; list != nil {
		return list
	}
	return nil
}

// inHeaders returns the arguments that the headers of a call have to repeat.
func inHeaders(m jsonrpc.Message, offers teller) []headers.Param {
	if m.Method != protocol.MethodToolsCall || offers == nil {
		return nil
	}
	tool, _ := offers.Tool(rawjson.Text(string(m.Body), "name"))
	schema, _ := rawjson.Get(string(tool), "inputSchema")
	list, _ := headers.Params(jsonrpc.Raw(schema)) // of a tool that no client takes, none
	return list
}
