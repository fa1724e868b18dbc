package authservers

import (
	"net/http"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/server/jwt"
)

// The clients that each Server knows, and their redirects.
const (
	ClientID    = "client"
	OtherClient = "other" // the client of another server: the audience of its tokens is another one

	Redirect = "http://127.0.0.1:7/callback" // nobody listens there
)

// Options are the settings of an authorization server.
type Options struct {
	URL    string        // its origin: http, this machine
	Client *http.Client  // that reaches it
	Life   time.Duration // of access tokens; 0 for its default
	Opaque bool          // its access tokens are opaque
}

// Server is an authorization server, with what a program must know of it.
type Server struct {
	http.Handler
	Issuer   jwt.Issuer                         // for a server that verifies its tokens
	Scopes   []string                           // requested by a client
	Base     []string                           // required by each request
	Needs    []string                           // required by the tool; nil if its tokens have no scopes
	Audience string                             // the server's name in its tokens
	Life     time.Duration                      // of its tokens
	Person   Person                             // who may log in
	Machine  oauth.Credentials                  // that logs in for itself, if any
	Rotate   func() error                       // makes it sign with a new key
	Forget   func(client, refresh string) error // revokes a refresh token of a client
}
