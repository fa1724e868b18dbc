// Package app is the application of the example servers: a tool for each thing that a server
// can do, with resources and prompts. It knows nothing of how it is served; stdioserver and
// httpserver have the rest.
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

	switching sync.Mutex         // held until those who are served have the groups
	groups    *registry.Registry // what is offered
}

// Front is what the application asks of those who serve it, beside answers to calls.
type Front interface {
	// Roots returns the roots of the client whose call ctx and c belong to.
	Roots(ctx context.Context, c server.Caller) ([]protocol.Root, error)
	// Session names the session whose call ctx belongs to.
	Session(ctx context.Context) string
	// Notify tells a session something, outside of any call.
	Notify(session string, n protocol.Params) error
	// Broadcast tells all sessions something.
	Broadcast(ctx context.Context, n protocol.Params) error
	// Replace serves other handlers from now on.
	Replace(ctx context.Context, h *server.Handlers) error
}

// New returns an application. ServedBy tells it by whom it is served, before the first call.
// Errors: those of registry.NewGroup.
func New() (*App, error) {
	a := new(App)
	a.note.Store(new(string))
	var err error
	a.groups, err = a.newGroups()
	return a, err
}

// ServedBy says by whom the application is served.
func (a *App) ServedBy(f Front) { a.front = f }

// Config returns what the server is, under the name of the program.
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

// Until returns the revisions to serve up to the newest one, and for "" nil: those that have sessions.
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

// icon is what hosts may show beside the name of the server, and of its tool echo.
var icon = protocol.Icon{Src: "https://example.com/icon.svg", MIMEType: "image/svg+xml", Sizes: []string{"any"}}

// maxSigned is how many sessions are remembered to have signed in.
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
