package nethttp

import (
	"errors"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/headers"
)

// admitted authenticates a request before anything is done for it (AUTH-051), and counts its
// response. It returns false if it has answered.
func (x *exchange) admitted() bool {
	h := x.h
	if h.opt.Authenticate == nil {
		return x.counting(x.party())
	}
	if !x.counting(x.address()) { // so that no address takes all places while its tokens are verified
		return false
	}
	for range maxVerified {
		before := h.tally.revoked.Load()
		who, err := h.authenticate(x.r)
		if err == nil && !who.Expires.IsZero() && !time.Now().Before(who.Expires) {
			err = &AuthError{Code: "invalid_token", Description: "the token has expired"}
		}
		if err != nil {
			x.unauthorized(err)
			return false
		}
		x.uncount()
		x.who = who
		if !x.counting(x.party()) {
			return false
		}
		if h.tally.revoked.Load() == before { // otherwise the result may be older than the revocation
			return true
		}
	}
	x.refuse(h.busy())
	return false
}

// maxVerified is how often a request is authenticated again because principals are revoked.
const maxVerified = 3

// counting counts the response for its owner, or answers that the server is busy.
func (x *exchange) counting(p party) bool {
	if x.count(p) {
		return true
	}
	x.refuse(x.h.busy())
	return false
}

// allowed reports whether the token of a request has the scopes that it needs, or answers that it
// does not. It runs before any State gets the message.
func (x *exchange) allowed(list ...jsonrpc.Message) bool {
	if x.who.grant == nil {
		return true
	}
	err := x.h.allow(x.who.grant, list)
	if err != nil {
		x.unauthorized(err)
	}
	return err == nil
}

// allow asks the Guard, whose Policy may have a function.
func (h *Handler) allow(g *grant, list []jsonrpc.Message) (err error) {
	defer h.recovered(&err)
	if c := g.Allow(g.id, list...); c != nil {
		return rejected(*c)
	}
	return nil
}

// unauthorized answers a request that Authenticate rejects, or whose message the token does not allow.
func (x *exchange) unauthorized(err error) {
	if errors.Is(err, errPanic) {
		x.refuse(broken())
		return
	}
	var e *AuthError
	if !errors.As(err, &e) || e == nil {
		e = &AuthError{Err: err}
		if _, sent := headers.Bearer(x.r.Header.Get(headers.Authorization)); sent {
			e.Code = "invalid_token" // RFC 6750, section 3.1
		}
	}
	x.h.opt.Log.Debug("nethttp: request not authorized", "err", err)
	if e.Status >= 500 {
		x.refuse(x.h.busy())
		return
	}
	c := headers.Challenge{Error: e.Code, ErrorDescription: e.Description, Scope: e.Scope}
	if x.h.metadata != nil {
		c.ResourceMetadata = x.h.metadata.url
	}
	bad := headers.Unauthorized(c)
	if e.Status != 0 {
		bad.Status = e.Status
	}
	x.refuse(bad)
}
