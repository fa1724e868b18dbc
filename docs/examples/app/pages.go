package app

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/typed"
)

// visit is how long a user takes for a page. A real server learns the end from its web server.
const visit = 100 * time.Millisecond

// page returns an elicitation that sends the user to a page of this server. The url contains only
// the id, and no user can guess that of another.
func page(message string) protocol.ElicitParams {
	id := rand.Text()
	return protocol.ElicitParams{Mode: protocol.ElicitURL, Message: message, URL: "https://example.com/visit/" + id, ElicitationID: id}
}

// pages are the tools that send the user to a page, to enter something that the client must not
// see.
func (a *App) pages(h *server.Handlers) {
	tool(h, protocol.Tool{Name: "visit", Description: "Sends the client's user to a page."},
		func(ctx context.Context, c server.Caller, _ struct{}) (string, error) {
			p := page("Please have a look at this page.")
			answer, err := elicit(ctx, c, "visited", p)
			if err != nil {
				return "", err
			}
			// The answer is the user's decision; the completion, which only sessions have, says that the page is
			// done.
			if session(c) && protocol.Accepted(protocol.Raw(answer)) {
				if err := sleep(ctx, visit); err != nil {
					return "", err
				}
				err = c.Notify(protocol.ElicitationCompleteParams{ElicitationID: p.ElicitationID})
			}
			return answer, err
		})
	// An error of the protocol, not of the tool: the client repeats the call.
	typed.Tool(h, protocol.Tool{Name: "account", Description: "Needs the user to sign in on a page before."},
		func(ctx context.Context, c server.Caller, _ struct{}) (*protocol.CallToolResult, error) {
			session := a.front.Session(ctx)
			switch {
			case a.signedIn(session):
				return protocol.TextResult("signed in"), nil
			case !c.State().PeerCapabilities().Has(protocol.CapElicitationURL):
				return protocol.ErrorResult("this needs a client that opens pages"), nil
			}
			p := page("Please sign in.")
			a.signIn(session, p.ElicitationID, 100)
			e := protocol.URLElicitationRequired(p)
			return nil, &e
		})
}

// signIn waits until the user has signed in, and notifies the client.
func (a *App) signIn(session, id string, tries int) {
	time.AfterFunc(visit, func() {
		a.setSignedIn(session)
		err := a.front.Notify(session, protocol.ElicitationCompleteParams{ElicitationID: id})
		if errors.Is(err, lifecycle.ErrParams) && tries > 0 {
			a.signIn(session, id, tries-1) // the elicitation has not been sent yet
		}
	})
}
