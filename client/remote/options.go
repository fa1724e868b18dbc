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

// Authorizer authorizes requests. A login.Runner is one. Its methods are called by any number of requests
// at a time, each with a context of its own.
type Authorizer interface {
	// Authorize returns the token of a request, the zero Token for none: "Type Access" is its Authorization
	// header, of whatever scheme (AUTH-005). Before each request Status of the Need is 0. When the server
	// refuses the request, by 401, or by 403 with insufficient_scope or without an error, the Need says how,
	// and the request is made again. Of each token that the server takes it hears once, with the status, and
	// what it returns then does not count. An error fails the request.
	Authorize(ctx context.Context, need oauth.Need) (oauth.Token, error)
	// Prove returns the DPoP header of a request whose token has the Type DPoP (RFC 9449, section 7).
	Prove(ctx context.Context, p oauth.Proof) (string, error)
}

// Options are the settings of New. A field that is zero means its default.
type Options struct {
	// Client makes the requests; it is copied. Redirects that leave the origin of the url are
	// not followed whatever it says, and its Timeout, which would cut streams, is not used. The
	// default has a connection pool of its own. A Client with a limit of connections to a host
	// needs room for all calls at a time, and some more for what is said meanwhile.
	Client *http.Client
	// Header has further fields of every request, such as the key of a gateway.
	Header http.Header

	// Auth authorizes each request; nil means no token. Redirects and other origins never get its tokens.
	Auth Authorizer
	// Token is the short form of Auth: a function that returns the token, without Bearer, "" for none. It is
	// asked before the first request, with the zero Challenge, and when the server wants another token
	// (401, or 403 with insufficient_scope or without an error), as Challenge says; of a server that does
	// not say anything the Error is invalid_token. One question is asked at a time, whatever number of
	// requests needs the token; ctx ends when none does any longer. An error fails the request.
	Token func(ctx context.Context, c headers.Challenge) (string, error)
	// InsecureToken lets a token go out over http to a server that is not on a loopback
	// address. By default that is ErrInsecure.
	InsecureToken bool

	// Exchange has the limits of each message: its bytes, how often it comes back for the rest
	// of an answer, how often it asks for a token (here twice by default).
	Exchange exchange.Options
	// HeaderTimeout is how long the head of an answer may take, and the next part of a body
	// that is not a stream. It does not hold for the answer to a request until that has begun, for the
	// State waits for it, nor for the stream of what the server says by itself. Default 30 s.
	HeaderTimeout time.Duration
	// Idle is how long a stream may bring nothing, not even a comment, before another
	// connection replaces it, if the server can resume the stream. Default 5 min;
	// lifecycle.NoTimeout: no limit.
	Idle time.Duration
	// MaxPosts is how many notifications and answers may be on their way at a time; more wait,
	// and then nothing is taken in. Requests do not count: Limits.Outbound bounds them.
	// Default 32.
	MaxPosts int
	// NoListen omits the stream for messages of the server outside of calls.
	NoListen bool
	// RefusedEnds ends the session when a connection is refused, since no server listens
	// at the url then. After a stream that breaks off, an OPTIONS request asks at once
	// whether one does. By default a stream is resumed as often as Exchange allows.
	RefusedEnds bool
	// NoFallback never tries HTTP+SSE, the transport of 2024-11-05.
	NoFallback bool
	// Log gets faults that fail no request, such as a notification that could not be
	// sent, or a tool that is left out of a list. It never gets a token, a session id or a
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
	// ErrInsecure: a token would go out in clear text; see Options.InsecureToken.
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
