package server

import (
	"context"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/protocol"
)

// subscription returns the function that answers a subscription to uri: it calls each function of
// Subscribe that is registered together with what uri names, or covers, and the first error
// refuses. So the function of one group cannot grant what another group guards.
func (h *Handlers) subscription(uri string) SubscribeFunc {
	covers := func(g *Handlers) bool { return g.knows(uri) }
	if !h.knows(uri) { // a prefix of resources
		covers = func(g *Handlers) bool { return g.below(uri) }
	}
	ask := h.guards(covers, nil)
	return func(ctx context.Context, c Caller, p protocol.SubscribeParams) error {
		for _, f := range ask {
			if err := f(ctx, c, p); err != nil {
				return err
			}
		}
		return nil
	}
}

// guards appends the functions of the layers and groups for which covers returns true.
func (h *Handlers) guards(covers func(*Handlers) bool, list []SubscribeFunc) []SubscribeFunc {
	if h.subscribe != nil && covers(h) {
		list = append(list, h.subscribe)
	}
	for _, g := range h.agree {
		list = g.guards(covers, list)
	}
	if h.upper != nil {
		list = h.under.guards(covers, h.upper.guards(covers, list))
	}
	return list
}

// knows reports whether h has a resource or a template for uri.
func (h *Handlers) knows(uri string) bool {
	if _, registered := resourceKind.find(h, uri); registered {
		return true
	}
	_, _, ok := h.match(uri)
	return ok
}

// below reports whether h may have something that begins with prefix.
func (h *Handlers) below(prefix string) bool {
	if slices.ContainsFunc(h.resources.items, func(r protocol.Resource) bool { return strings.HasPrefix(r.URI, prefix) }) {
		return true
	}
	return len(h.templates.items) > 0 || h.upper != nil && (h.upper.below(prefix) || h.under.below(prefix))
}
