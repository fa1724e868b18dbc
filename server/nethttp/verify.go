package nethttp

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server/guard"
)

// Verifier verifies access tokens, by their signature or by asking the issuer.
type Verifier interface {
	// Verify returns the identity in the token, if an accepted issuer signed it or vouches for it. The
	// Policy then checks audience, expiry and scopes. r is the request, for a token that is bound to a key
	// or a certificate; its body is not read yet. ctx ends with the request. Errors: an *AuthError with
	// Status 503 if the token cannot be verified now; any other is answered 401, and its text goes only to
	// the Log.
	Verify(ctx context.Context, token string, r *http.Request) (guard.Identity, error)
}

// Verified returns a function for Options.Authenticate that takes the Bearer token of a request, has v
// verify it, and checks it by the policy. The Principal has the ID of the guard.Identity and the Identity
// as its Value, and expires when the token does. Messages are checked as well, each before it is handed
// to a session: one that lacks scopes is answered 403 with all that it needs. Errors: those of guard.New,
// and a nil Verifier.
//
// A wrapper must return the Principal that it got, possibly with another ID or Value: messages of any
// other Principal are not checked.
func Verified(v Verifier, p guard.Policy) (func(*http.Request) (Principal, error), error) {
	if v == nil {
		return nil, errors.New("nethttp: the Verifier is nil: want one that verifies tokens")
	}
	g, err := guard.New(p)
	if err != nil {
		return nil, err
	}
	return func(r *http.Request) (Principal, error) {
		token, err := bearer(r.Header)
		if err != nil {
			err.Scope = g.Challenge().Scope
			return Principal{}, err
		}
		id, failed := v.Verify(r.Context(), token, r)
		if failed != nil {
			return Principal{}, unverified(failed, g)
		}
		c := g.Check(time.Now(), id)
		if c == nil && r.Method != http.MethodPost { // of a POST the messages count too
			c = g.Allow(id)
		}
		if c != nil {
			return Principal{}, rejected(*c)
		}
		return Principal{ID: id.ID(), Value: id, Expires: g.Until(id), grant: &grant{g, id}}, nil
	}, nil
}

// bearer returns the token of a request (AUTH-024). There is one of another scheme, or none (AUTH-057), or it
// cannot be one.
func bearer(h http.Header) (token string, bad *AuthError) {
	list := h.Values(headers.Authorization)
	token, ok := headers.Bearer(h.Get(headers.Authorization))
	scheme, rest, _ := strings.Cut(strings.TrimSpace(h.Get(headers.Authorization)), " ")
	switch {
	case len(list) > 1:
		return "", &AuthError{Code: "invalid_request", Description: "several Authorization headers"}
	case ok:
		return token, nil
	case strings.EqualFold(scheme, "Bearer") && strings.TrimSpace(rest) != "":
		return "", &AuthError{Code: "invalid_request", Description: "the token is malformed"}
	}
	return "", &AuthError{}
}

// unverified is what the error of a Verifier becomes: it had a token, so that it says which scopes are
// needed and, unless nothing could be found out, that the token is not valid.
func unverified(err error, g guard.Guard) error {
	e := &AuthError{Err: err}
	if own := (*AuthError)(nil); errors.As(err, &own) && own != nil {
		*e = *own
	}
	if e.Code == "" && e.Status < 500 {
		e.Code = "invalid_token"
	}
	if e.Scope == "" {
		e.Scope = g.Challenge().Scope
	}
	return e
}

// rejected is a challenge as an error.
func rejected(c headers.Challenge) *AuthError {
	return &AuthError{Code: c.Error, Description: c.ErrorDescription, Scope: c.Scope}
}
