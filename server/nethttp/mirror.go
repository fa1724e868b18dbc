package nethttp

import (
	"github.com/sansmcp/mcp/jsonrpc"
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

// differs returns a *differsError if the headers contradict the body, whose envelope has the version. offers is what
// the session is offered. A request without a valid envelope is judged only for that.
func (x *exchange) differs(m jsonrpc.Message, version string, offers mirrors) error {
	if x.unsaid {
		return nil
	}
	if why := headers.Differs(m, version, x.values, offers.HeaderParams); why != "" {
		return &differsError{why}
	}
	return nil
}

// values returns the values of a header. Most names are in canonical form, as the keys are.
func (x *exchange) values(name string) []string {
	if list, ok := x.r.Header[name]; ok {
		return list
	}
	return x.r.Header.Values(name)
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
