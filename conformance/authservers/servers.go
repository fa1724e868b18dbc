package authservers

import (
	"net/http"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/server/jwt"
)

// The clients that each Server knows, and where they have people sent back to.
const (
	ClientID    = "client"
	OtherClient = "other" // the client of another server: the audience of its tokens is another one

	Redirect = "http://127.0.0.1:7/callback" // nobody listens there
)

// Options say how an authorization server is to be.
type Options struct {
	URL    string        // the origin that it is served at: http, this machine
	Client *http.Client  // that reaches it
	Life   time.Duration // of access tokens; 0 for that which it has by default
	Opaque bool          // its access tokens are none that anybody reads
}

// Server is an authorization server, and what a program has to know of it.
type Server struct {
	http.Handler
	Issuer   jwt.Issuer                         // as a server that verifies its tokens names it
	Scopes   []string                           // what a client asks for
	Base     []string                           // of these, what each request needs
	Needs    []string                           // and what the tool needs; nil if its tokens have no scopes
	Audience string                             // what its tokens call the server
	Life     time.Duration                      // of its tokens
	Person   Person                             // who may log in
	Machine  oauth.Credentials                  // that logs in for itself, if there is one
	Rotate   func() error                       // makes it sign by a new key
	Forget   func(client, refresh string) error // revokes a refresh token of a client
}
