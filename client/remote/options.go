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

// Authorizer authorizes requests. A login.Runner is one. Its methods are called concurrently, each with
// the context of its request.
type Authorizer interface {
	// Authorize returns the token of a request, or the zero Token: "Type Access" is its Authorization
	// header, for any scheme (AUTH-005). Before each request Status of the Need is 0. When the server
	// refuses the request, by 401, or by 403 with insufficient_scope or without an error, the Need describes
	// that, and the request is repeated. When the server first accepts a token, Authorize is called with the
	// status, and its result is ignored. An error fails the request.
	Authorize(ctx context.Context, need oauth.Need) (oauth.Token, error)
	// Prove returns the DPoP header of a request whose token has the Type DPoP (RFC 9449, section 7).
	Prove(ctx context.Context, p oauth.Proof) (string, error)
}

// Options are the settings of New. A field that is zero means its default.
type Options struct {
	// Client makes the requests; it is copied. Redirects to another origin are never followed, and
	// its Timeout, which would cut streams, is ignored. The default has its own connection pool. If
	// a Client limits connections per host, allow one for each concurrent call, and a few more.
	Client *http.Client
	// Header has further fields of every request, such as the key of a gateway.
	Header http.Header

	// Auth authorizes each request; nil means no token. Redirects and other origins never get its tokens.
	Auth Authorizer
	// Token is the short form of Auth: a function that returns the token, without Bearer, "" for none. It is
	// called before the first request, with the zero Challenge, and when the server requires another token
	// (401, or 403 with insufficient_scope or without an error), with its Challenge; if the server sends
	// none the Error is invalid_token. There is one call at a time for all requests that need the token; ctx
	// ends when none does. An error fails the request.
	Token func(ctx context.Context, c headers.Challenge) (string, error)
	// InsecureToken allows sending a token over http to a server that is not on a loopback address.
	// By default that is ErrInsecure.
	InsecureToken bool

	// Exchange has the limits of each message: its bytes, the attempts to resume an answer, the
	// requests for a token (here twice by default).
	Exchange exchange.Options
	// HeaderTimeout is how long the head of an answer may take, and the next part of a body that is
	// not a stream. It does not apply to an answer to a request before it begins, which the State
	// times out, nor to the stream for messages outside of calls. Default 30 s.
	HeaderTimeout time.Duration
	// Idle is how long a stream may be silent, without even a comment, before another connection
	// replaces it, if the server can resume the stream. Default 5 min; lifecycle.NoTimeout: no
	// limit.
	Idle time.Duration
	// MaxPosts is how many notifications and responses may be in flight at a time; while more wait,
	// no messages are received. Requests do not count: Limits.Outbound bounds them. Default 32.
	MaxPosts int
	// NoListen omits the stream for messages of the server outside of calls.
	NoListen bool
	// RefusedEnds ends the session when a connection is refused, because no server listens at the
	// url. After a broken stream an OPTIONS request checks this at once. By default a stream is
	// resumed as often as Exchange allows.
	RefusedEnds bool
	// NoFallback never tries HTTP+SSE, the transport of 2024-11-05.
	NoFallback bool
	// Log gets errors that fail no request, such as a notification that could not be sent, or a
	// tool that was removed from a list. It never gets a token, a session id or a message. nil
	// discards all.
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
	ErrInsecure = errors.New("remote: no token goes over http to another host; use https or Options.InsecureToken")
	// errIdle: a server stopped in the middle of an answer, or did not begin it.
	errIdle = errors.New("remote: the server is silent")
	// errEndpoint: a server of HTTP+SSE named no endpoint, or one of another origin.
	errEndpoint = errors.New("remote: the server names no endpoint of its own")
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
