package login

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/headers"
)

// PagesOptions are the settings of Pages. URL, Who and Open are required.
type PagesOptions struct {
	// URL is where browsers reach the Pages, such as https://gateway.example/login. It is https, or http on
	// this machine; then requests whose Host does not name this machine are refused. A person logs in at a
	// server on URL/NAME, with the name escaped by url.PathEscape; the redirect url of the server is
	// URL/NAME/callback.
	URL string
	// Who returns the principal whose browser sent a request. Its error is answered 401, with a Basic
	// challenge. The session of an MCP client does not identify a principal here (SEC-109).
	Who func(*http.Request) (principal string, err error)
	// Open returns a Detached Runner for a principal at the named server, with redirect as its
	// Config.Redirect; nil if there is no such server. It is called on first use of the pair, and again
	// after Forget; if two calls open the same pair, one Runner is closed.
	Open func(principal, server, redirect string) (*Runner, error)
	// Done, if set, is called when a principal has logged in at a server; a gateway calls
	// gateway.Gateway.Retry.
	Done func(principal, server string)
	// Key is secret, random, and the same in all processes that serve URL, so that each accepts the forms and
	// consents of the others. Their Runners must share one Store, which holds logins that wait for their
	// person. The default is a random key, for one process.
	Key [32]byte
	// Log logs logins without their secrets. The default is no log.
	Log *slog.Logger
}

// maxRunners bounds the Runners of Pages, one for each pair of principal and server.
const maxRunners = 10000

// formTime is how long a browser may take to post a form.
const formTime = 10 * time.Second

// Pages log people in at servers, each for their own principal. They hold the Runners of a gateway, and are
// the http.Handler that sends people to the pages of authorization servers and handles their return. First a
// page names the server, the issuer, the client, the scopes and the destination of the answer, and asks the
// person to agree (AUTH-050, SEC-107). Only then is the answer accepted, once, within ten minutes, from the
// same browser and the same principal (SEC-108).
type Pages struct {
	opt    PagesOptions
	path   string // of URL, without a final slash
	cookie string // its name
	secure bool
	key    [32]byte      // of the secrets in forms
	forms  time.Duration // time to post a form

	ending sync.WaitGroup // Runners that are closing

	mu      sync.Mutex
	closed  bool
	forgot  uint64 // number of calls of Forget
	runners map[pair]*Runner
}

// pair is a principal and a server.
type pair struct{ principal, server string }

var errPages = errors.New("login: PagesOptions: URL, Who and Open are required; URL is https, or http on this machine, without query and fragment")

// NewPages returns Pages without Runners. It fails if a required option is missing or URL is
// invalid.
func NewPages(o PagesOptions) (*Pages, error) {
	u, err := url.Parse(o.URL)
	if err != nil || o.Who == nil || o.Open == nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil ||
		u.Scheme != "https" && (u.Scheme != "http" || !headers.Loopback(u.Hostname())) {
		return nil, errPages
	}
	o.URL = strings.TrimSuffix(u.String(), "/")
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	p := &Pages{opt: o, path: strings.TrimSuffix(u.Path, "/"), cookie: "sansmcp-login", secure: u.Scheme == "https", forms: formTime, runners: map[pair]*Runner{}}
	if p.secure {
		p.cookie = "__Host-" + p.cookie // other hosts of the domain cannot set it
	}
	if p.key = o.Key; p.key == [32]byte{} {
		_, _ = rand.Read(p.key[:])
	}
	return p, nil
}

// link returns the url of the page where a person logs in at a server.
func (p *Pages) link(server string) string { return p.opt.URL + "/" + url.PathEscape(server) }

// runner returns the Runner of a pair; nil if there is no such server. Errors: those of Open,
// lifecycle.ErrLimit at 10000 Runners, lifecycle.ErrClosed.
func (p *Pages) runner(at pair) (*Runner, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		switch {
		case p.closed:
			return nil, errClosed
		case p.runners[at] != nil:
			return p.runners[at], nil
		case len(p.runners) >= maxRunners:
			return nil, lifecycle.ErrLimit
		}
		forgot := p.forgot
		p.mu.Unlock() // Open may read a store; do not block others
		r, err := p.open(at)
		p.mu.Lock()
		switch {
		case err != nil || r == nil:
			return nil, err
		case p.closed || p.forgot != forgot || p.runners[at] != nil || len(p.runners) >= maxRunners: // check again
			p.mu.Unlock()
			r.Close()
			p.mu.Lock()
		default:
			p.runners[at] = r
			return r, nil
		}
	}
}

func (p *Pages) open(at pair) (r *Runner, err error) {
	defer caught("Open", &err)
	return p.opt.Open(at.principal, at.server, p.link(at.server)+"/callback")
}

// Visitor returns the remote.Authorizer of a principal at a server.
func (p *Pages) Visitor(principal, server string) Visitor { return Visitor{p, pair{principal, server}} }

// Visitor authorizes the requests of a principal to a server by a Runner of Pages. If a person is needed, its
// error names the page to open, and wraps a *PersonError. Visitors of the same principal and server are
// equal.
type Visitor struct {
	p  *Pages
	at pair
}

// Authorize implements remote.Authorizer.
func (v Visitor) Authorize(ctx context.Context, need oauth.Need) (oauth.Token, error) {
	r, err := v.p.runner(v.at)
	if err != nil || r == nil {
		return oauth.Token{}, err
	}
	t, err := r.Authorize(ctx, need)
	if person := (*PersonError)(nil); errors.As(err, &person) {
		err = &pageError{v.p.link(v.at.server), person}
	}
	return t, err
}

// Prove implements remote.Authorizer.
func (v Visitor) Prove(ctx context.Context, proof oauth.Proof) (string, error) {
	r, err := v.p.runner(v.at)
	if err != nil || r == nil {
		return "", err
	}
	return r.Prove(ctx, proof)
}

// pageError names the page of Pages where a person is needed.
type pageError struct {
	url string
	err *PersonError
}

func (e *pageError) Error() string { return "login: open " + e.url + " in a browser to log in" }
func (e *pageError) Unwrap() error { return e.err }

// LoginPage returns the page, for a relay to pass to its client.
func (e *pageError) LoginPage() string { return e.url }

// Forget closes the Runners of a server whose definition has changed. Later requests call Open again.
func (p *Pages) Forget(server string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forgot++
	for at, r := range p.runners {
		if at.server == server {
			delete(p.runners, at)
			p.ending.Go(r.Close)
		}
	}
}

// Close closes the Runners, and returns when they have ended.
func (p *Pages) Close() {
	p.mu.Lock()
	for _, r := range p.runners {
		p.ending.Go(r.Close)
	}
	p.runners, p.closed = nil, true
	p.mu.Unlock()
	p.ending.Wait()
}
