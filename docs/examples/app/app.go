// Package app is the application of the example servers: a tool for each feature of servers, with
// resources and prompts. It does not depend on how it is served; stdioserver and httpserver do
// that.
package app

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/registry"
)

// App is what the handlers share.
type App struct {
	front  Front
	note   atomic.Pointer[string] // the text of the resource note
	mu     sync.Mutex
	signed []string // sessions whose user has signed in, newest last

	switching sync.Mutex         // held until the sessions have the groups
	groups    *registry.Registry // what is offered
}

// Front is what the application needs from its server, in addition to answers to calls.
type Front interface {
	// Roots returns the roots of the client that made the call of ctx and c.
	Roots(ctx context.Context, c server.Caller) ([]protocol.Root, error)
	// Session returns the id of the session of the call of ctx.
	Session(ctx context.Context) string
	// Notify sends a notification to a session, outside of any call.
	Notify(session string, n protocol.Params) error
	// Broadcast sends a notification to all sessions.
	Broadcast(ctx context.Context, n protocol.Params) error
	// Replace replaces the handlers.
	Replace(ctx context.Context, h *server.Handlers) error
}

// New returns an application. Call ServedBy before the first call. Errors: those of
// registry.NewGroup.
func New() (*App, error) {
	a := new(App)
	a.note.Store(new(string))
	var err error
	a.groups, err = a.newGroups()
	return a, err
}

// ServedBy sets the server of the application.
func (a *App) ServedBy(f Front) { a.front = f }

// Config returns the Config of the server, named like the program.
func Config(name string) server.Config {
	return server.Config{
		Info: protocol.Implementation{
			Name: name, Title: "Example server", Version: "1.0.0",
			Description: "Shows what a server can do.", WebsiteURL: "https://example.com/" + name, Icons: []protocol.Icon{icon},
		},
		Instructions: "Every tool shows one thing that a server can do.",
		ListChanged:  protocol.CapToolsListChanged,
		Subscribe:    true,
		Logging:      true,
	}
}

// Until returns the revisions up to the newest one to serve; for "" nil, which means those with
// sessions.
func Until(newest string) ([]protocol.Revision, error) {
	if newest == "" {
		return nil, nil
	}
	list := protocol.AllRevisions() // newest first
	for i, r := range list {
		if r.String() == newest {
			return list[i:], nil
		}
	}
	return nil, fmt.Errorf("no such revision: %q", newest)
}

// icon is what hosts may show next to the name of the server, and of its tool echo.
var icon = protocol.Icon{Src: "https://example.com/icon.svg", MIMEType: "image/svg+xml", Sizes: []string{"any"}}

// maxSigned is how many sessions are remembered as signed in.
const maxSigned = 1000

func (a *App) signedIn(session string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Contains(a.signed, session)
}

func (a *App) setSignedIn(session string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.signed) >= maxSigned {
		a.signed = slices.Delete(a.signed, 0, 1)
	}
	a.signed = append(a.signed, session)
}
