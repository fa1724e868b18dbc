package nethttp

import (
	"context"
	"time"

	"github.com/sansmcp/mcp/server"
)

// AuthError is why Options.Authenticate rejects a request. The client gets Status, and the other
// fields except Err in WWW-Authenticate (AUTH-013).
type AuthError struct {
	Status      int    // 0 means the status of Code: 403 for insufficient_scope (AUTH-103), 400 for invalid_request, otherwise 401; 503 if the token cannot be verified now
	Code        string // error of RFC 6750: invalid_token, insufficient_scope, invalid_request; "" if there was no token
	Description string // error_description
	Scope       string // the scopes that are needed, separated by blanks
	Err         error  // for the log
}

// Error returns the error for logs.
func (e *AuthError) Error() string {
	text := "nethttp: not authorized"
	if e == nil {
		return text
	}
	if e.Code != "" {
		text += ": " + e.Code
	}
	if e.Description != "" {
		text += ": " + e.Description
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns Err.
func (e *AuthError) Unwrap() error {
	if e == nil { // a function returned it as an error
		return nil
	}
	return e.Err
}

// Keys of contexts.
type (
	principalKey struct{}
	callKey      struct{}
)

// origin is the context of what a request leads to: it has the values of the request, and
// who sent it, and does not end with it.
type origin struct {
	values context.Context
	who    Principal
	known  bool
}

func (o *origin) Deadline() (time.Time, bool) { return time.Time{}, false }
func (o *origin) Done() <-chan struct{}       { return nil }
func (o *origin) Err() error                  { return nil }

func (o *origin) Value(key any) any {
	if _, ok := key.(principalKey); ok {
		if o.known {
			return o.who
		}
		return nil
	}
	if _, ok := key.(server.PrincipalKey); ok && o.known {
		return o.who.ID
	}
	return o.values.Value(key)
}

func (r *running) Value(key any) any {
	if _, ok := key.(callKey); ok {
		return r
	}
	return r.Context.Value(key)
}

// PrincipalFrom returns the Principal of the request that a function answers; ok is false without
// Options.Authenticate.
func PrincipalFrom(ctx context.Context) (p Principal, ok bool) {
	p, ok = ctx.Value(principalKey{}).(Principal)
	return p, ok
}

// SessionFrom returns the id of the session that a function runs for, for Notify. Do not log it where
// others can read it: it gives access to the session. ok is false for any context other than that of
// a function that a Handler runs.
func SessionFrom(ctx context.Context) (id string, ok bool) {
	r, ok := ctx.Value(callKey{}).(*running)
	if !ok {
		return "", false
	}
	return r.id, true
}
