package app

import (
	"context"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/registry"
)

// optional is the group that toggle switches.
const optional = "optional"

// newGroups returns what the server offers, in groups that can be switched while it runs.
func (a *App) newGroups() (*registry.Registry, error) {
	var list []*registry.Group
	for _, g := range []struct {
		name    string
		fill    func(*server.Handlers)
		enabled registry.Switch
	}{
		{"plain", plain, registry.On},
		{"asking", a.asking, registry.On},
		{"choosing", choosing, registry.On},
		{"pages", a.pages, registry.On},
		{"changing", a.changing, registry.On},
		{optional, extra, registry.Off},
		{"documents", a.documents, registry.On},
	} {
		h := new(server.Handlers)
		g.fill(h)
		s, err := registry.NewGroup(registry.Definition{Name: g.name, Handlers: h, Enabled: g.enabled})
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return registry.FromGroups(list...)
}

// extra has the tool that is not always there.
func extra(h *server.Handlers) {
	tool(h, protocol.Tool{Name: "extra", Description: "Is not always there."},
		func(context.Context, server.Caller, struct{}) (string, error) { return "here", nil })
}

// documents are the resources and prompts. They are one group, because one function completes the
// arguments of both.
func (a *App) documents(h *server.Handlers) {
	a.resources(h)
	prompts(h)
}

// Handlers returns everything that the server offers at present.
func (a *App) Handlers() *server.Handlers {
	a.switching.Lock()
	defer a.switching.Unlock()
	return a.groups.View().Handlers()
}

// toggle switches the optional group on, or off, and notifies all sessions. If that fails the next
// toggle tries again.
func (a *App) toggle(ctx context.Context) error {
	a.switching.Lock()
	defer a.switching.Unlock()
	next, _, err := a.groups.SetEnabled(optional, !a.groups.View().Has(optional))
	if err != nil {
		return err
	}
	if err := a.front.Replace(ctx, next.View().Handlers()); err != nil {
		return err
	}
	a.groups = next
	return nil
}
