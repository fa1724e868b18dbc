package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/headers"
)

// Authorizer authorizes requests. A login.Runner is one. Its methods are called concurrently, each call
// with the context of its request.
type Authorizer interface {
	// Authorize returns the token of a request, the zero Token for none. "Type Access" becomes the
	// Authorization header, with any scheme (AUTH-005). Before each request need.Status is 0. If the server
	// refuses the request with 401, or with 403 and insufficient_scope or no error, need describes that, and
	// the request is repeated with the new token. When the server first accepts a token, Authorize is called
	// with the status, and its result is ignored. An error fails the request.
	Authorize(ctx context.Context, need oauth.Need) (oauth.Token, error)
	// Prove returns the DPoP header of a request whose token has the Type DPoP (RFC 9449, section 7).
	Prove(ctx context.Context, p oauth.Proof) (string, error)
}

// Options are the settings of New. A zero field means its default.
type Options struct {
	// Client sends the requests; New copies it. Redirects that leave the origin of the url are
	// never followed. Its Timeout is ignored, because it would cut streams. The default has its
	// own connection pool. A Client that limits the connections to a host needs enough for all
	// concurrent calls, and some more for other messages.
	Client *http.Client
	// Header has additional fields for every request, such as the key of a gateway.
	Header http.Header

	// Auth authorizes each request; nil means no token. Redirects and other origins never get its tokens.
	Auth Authorizer
	// Token is the short form of Auth: a function that returns the token, without Bearer, or "" for none. It
	// is called before the first request, with the zero Challenge, and when the server requires another
	// token (401, or 403 with insufficient_scope or no error), with the server's Challenge; if that is
	// empty, its Error is invalid_token. Calls are made one at a time; all requests that need the token
	// share the result, and ctx ends when none waits any longer. An error fails the request.
	Token func(ctx context.Context, c headers.Challenge) (string, error)
	// InsecureToken allows a token to be sent over http to a server that is not on a
	// loopback address. By default the request fails with ErrInsecure.
	InsecureToken bool

	// Exchange has the limits of each message: its bytes, how often the client resumes an
	// answer, how often it gets another token (here 2 by default).
	Exchange exchange.Options
	// HeaderTimeout is how long the header of a response may take, and the next 32 KiB of a body that
	// is not a stream. It does not apply before the answer to a request begins, where the timeout of
	// the State does, nor to the GET stream for the server's other messages. Default 30 s.
	HeaderTimeout time.Duration
	// Idle is how long a stream may be silent, without even a comment, before another
	// connection replaces it, if the server can resume the stream. Default 5 min;
	// lifecycle.NoTimeout: no limit.
	Idle time.Duration
	// MaxPosts is how many notifications and answers may be in flight at a time; further ones
	// wait, and while they do, nothing is received. Requests do not count: Limits.Outbound
	// bounds them. Default 32.
	MaxPosts int
	// NoListen omits the GET stream for the server's messages outside of calls.
	NoListen bool
	// RefusedEnds ends the session when a connection is refused, which means that no
	// server listens at the url. After a stream breaks off, an OPTIONS request checks
	// that at once. By default a stream is resumed as often as Exchange allows.
	RefusedEnds bool
	// NoFallback disables HTTP+SSE, the transport of 2024-11-05.
	NoFallback bool
	// Log gets problems that fail no request, such as a notification that could not be
	// sent, or a tool dropped from a list. It never gets a token, a session id or a
	// message. nil discards all.
	Log *slog.Logger
}

// The defaults of Options.
const (
	defaultHeaderTimeout = 30 * time.Second
	defaultIdle          = 5 * time.Minute
	defaultMaxPosts      = 32
	defaultLogins        = 2
)

// Errors of a Transport.
var (
	// ErrInsecure: a token would be sent in clear text; see Options.InsecureToken.
	ErrInsecure = errors.New("remote: will not send a token over http to another host; use https or Options.InsecureToken")
	// errIdle: a server stopped in the middle of an answer, or did not begin it.
	errIdle = errors.New("remote: the server is silent")
	// errEndpoint: a server of HTTP+SSE named no endpoint, or one of another origin.
	errEndpoint = errors.New("remote: the server names an endpoint at another origin")
	errClosed   = lifecycle.Unsent(fmt.Errorf("remote: %w", lifecycle.ErrClosed))
)

func (o Options) filled() (Options, error) {
	var f lifecycle.Filler
	f.Within("Exchange", o.Exchange.Check())
	f.Time("HeaderTimeout", &o.HeaderTimeout, defaultHeaderTimeout, lifecycle.NeverNone)
	f.Time("Idle", &o.Idle, defaultIdle, lifecycle.MayBeNone)
	f.Count("MaxPosts", &o.MaxPosts, defaultMaxPosts)
	if o.Auth != nil && o.Token != nil {
		f.Wrong("Token", "both", "want Auth or Token")
	}
	o.Exchange.MaxBytes = cmp.Or(o.Exchange.MaxBytes, jsonrpc.DefaultMaxBytes)
	o.Exchange.Logins = cmp.Or(o.Exchange.Logins, defaultLogins)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o, f.Err("remote")
}
