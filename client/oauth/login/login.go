package login

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/lifecycle"
)

// New returns a Runner for the server at a url. If Config.Redirect is empty, New chooses a redirect to a
// free port of this machine, the registered one if it is free. Call Close at the end. Errors: those of
// oauth.New, a *lifecycle.ConfigError, and errors of Options.Store.
func New(c oauth.Config, server string, opt Options) (*Runner, error) {
	var f lifecycle.Filler
	switch asks := c.Grant >= oauth.Assertion || c.Algorithm != ""; {
	case asks && opt.Give == nil:
		f.Wrong("Give", "nil", "want the function that signs, or returns the token of the grant")
	case c.Proof && opt.Proof == nil:
		f.Wrong("Proof", "nil", "want the function that makes proofs")
	}
	if err := f.Err("login"); err != nil {
		return nil, err
	}
	if opt.Open == nil {
		opt.Open = func(_ context.Context, p oauth.Page) error {
			_, err := fmt.Fprintln(os.Stderr, "Open this page to log in:", p.URL)
			return err
		}
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	r := &Runner{opt: opt, at: server, hc: newClients(opt.Transport)}
	r.chosen = c.Redirect == "" && c.Grant == oauth.AuthorizationCode && !opt.Detached
	if r.chosen {
		c.Redirect = redirectAt("127.0.0.1:0")
	}
	flow, err := oauth.New(c, server)
	if err != nil {
		return nil, err
	}
	rec, err := r.begun(flow.Resource())
	if err != nil {
		return nil, err
	}
	if r.chosen {
		if c.Redirect, err = freeRedirect(rec); err != nil {
			return nil, err
		}
		if flow, err = oauth.New(c, server); err != nil {
			return nil, err
		}
	}
	r.config, r.f = c, flow.Adopt(time.Now(), rec)
	r.ctx, r.end = context.WithCancel(context.Background())
	return r, nil
}

// Authorize implements remote.Authorizer. Errors: a *oauth.Failure, a *PersonError, lifecycle.ErrClosed,
// errors of the functions of Options, and the cause of ctx.
func (r *Runner) Authorize(ctx context.Context, need oauth.Need) (oauth.Token, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	refused := need.Status/100 == 4
	if need.Status != 0 && !refused {
		r.f = r.f.Want(time.Now(), random(), need)
		return oauth.Token{}, nil
	}
	for ctx.Err() == nil && !r.closed {
		x := r.now
		if x == nil {
			x = r.begin(need)
		}
		t, ok := r.f.Token(time.Now())
		switch {
		case ok && !(refused && t.Access == need.Used):
			t.Refresh = "" // a request does not need it
			return t, nil
		case x == nil && refused:
			return oauth.Token{}, failure(r.f)
		case x == nil:
			return oauth.Token{}, nil
		}
		left := x.ctx.Err() != nil // the next run serves this request
		if r.wait(ctx, x); x.done {
			if x.err != nil && !x.renewal && !left {
				return oauth.Token{}, x.err
			}
		} else if r.stale(ctx, x, lookEvery) {
			continue
		} else if p := r.f.Page(); ctx.Err() == nil && !r.closed && p.URL != "" {
			return oauth.Token{}, &PersonError{Page: p}
		}
	}
	if r.closed {
		return oauth.Token{}, errClosed
	}
	return oauth.Token{}, context.Cause(ctx)
}

// Returned handles the query of the redirect that a person came back with, or the form posted there, and
// returns when the run has ended: nil if there is a token. Errors: those of Authorize, and one for an answer
// whose state is not that of the person's page, or a second answer. If ctx ends, the run continues.
func (r *Runner) Returned(ctx context.Context, query string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	x := r.now
	if r.shares() {
		var err error
		if x, err = r.answered(ctx, query); err != nil {
			return err
		}
	} else if x == nil || !r.take(query) {
		return errState
	}
	r.wait(ctx, x)
	switch p := r.f.Page(); {
	case x.done:
		return x.err
	case r.closed:
		return errClosed
	case ctx.Err() == nil && p.URL != "": // the client was registered again
		return &PersonError{Page: p}
	}
	return context.Cause(ctx)
}

// Prove implements remote.Authorizer.
func (r *Runner) Prove(ctx context.Context, p oauth.Proof) (string, error) {
	return r.proof(ctx, p) // without Options.Proof no token has the Type DPoP
}

// Close ends the current run, and returns when all goroutines have ended.
func (r *Runner) Close() {
	r.mu.Lock()
	r.closed = true
	r.changed.Wake()
	r.mu.Unlock()
	r.end()
	r.runs.Wait()
	for _, hc := range r.hc {
		hc.CloseIdleConnections()
	}
}
