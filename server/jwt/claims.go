package jwt

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/sansmcp/mcp/server/guard"
)

// Claims are the claims of a token, or of an answer to introspection, as JSON. They are shared: do
// not change them. They are a map because a struct would accept a claim named SCOPE as scope.
type Claims map[string]json.RawMessage

// text returns a claim that is a string, "" if it is not.
func (c Claims) text(name string) string {
	var s string
	if json.Unmarshal(c[name], &s) != nil {
		return ""
	}
	return s
}

// list returns a claim that is a string or a list of strings. split splits a string into its
// elements. Anything else is an empty list.
func (c Claims) list(name string, split func(string) []string) []string {
	var list []string
	if s := c.text(name); s != "" {
		return split(s)
	}
	if json.Unmarshal(c[name], &list) != nil {
		return nil
	}
	return list
}

// whole is the split for a string that is one element.
func whole(s string) []string { return []string{s} }

// seconds returns a claim that is a time. The error is for a claim of another type.
func (c Claims) seconds(name string) (t time.Time, err error) {
	raw, ok := c[name]
	if !ok {
		return t, nil
	}
	var n float64
	if err := json.Unmarshal(raw, &n); err != nil || n <= 0 || n > 1e11 {
		return t, errors.New(name + " is not a time")
	}
	return time.Unix(int64(n), 0), nil
}

// scopes returns the scopes of the claims; ok is false if they have no claim of scopes.
func (c Claims) scopes() (list []string, ok bool) {
	for _, name := range []string{"scope", "scp"} {
		if _, ok := c[name]; ok {
			return c.list(name, strings.Fields), true
		}
	}
	return nil, false
}

// header is the part of a JOSE header that matters here.
type header struct {
	Typ string `json:"typ"`
	Kid string `json:"kid"`
}

// peek returns the header and the claims of a JWT that is not verified yet; ok is false for a token
// that is not a JWT.
func peek(token string) (h header, c Claims, ok bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return h, nil, false
	}
	for i, into := range []any{&h, &c} {
		text, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil || json.Unmarshal(text, into) != nil {
			return h, nil, false
		}
	}
	return h, c, true
}

// accessToken reports whether a JWT is an access token: by its typ, otherwise by its scopes. An ID
// token has no scopes, or has the hash of the access token that it was issued with. A JWT with
// another typ is for something else.
func accessToken(h header, c Claims) bool {
	switch typ := strings.ToLower(h.Typ); strings.TrimPrefix(typ, "application/") {
	case "at+jwt":
		return true
	case "jwt", "":
		_, scoped := c.scopes()
		_, hash := c["at_hash"]
		return scoped && !hash
	}
	return false
}

// identity returns the Identity in the claims of a verified token. An answer to introspection may
// omit iss and exp.
func identity(c Claims, is *issuer, now time.Time, leeway time.Duration) (guard.Identity, error) {
	_, hasIssuer := c["iss"]
	exp, errExp := c.seconds("exp")
	nbf, errNbf := c.seconds("nbf")
	_, hasSubject := c["sub"]
	_, bound := c["cnf"]
	id := guard.Identity{
		Issuer: is.url, Subject: c.text("sub"), Client: c.text("client_id"),
		Audience: c.list("aud", whole), Expires: exp, Value: c,
	}
	id.Scopes, _ = c.scopes()
	if id.Client == "" {
		id.Client = c.text("azp")
	}
	switch err := errors.Join(errExp, errNbf); {
	case err != nil:
		return guard.Identity{}, refused(strings.ReplaceAll(err.Error(), "\n", ", "), nil)
	case hasIssuer && c.text("iss") != is.url:
		return guard.Identity{}, refused("the token is of another issuer", nil)
	case exp.IsZero() && is.asker == nil:
		return guard.Identity{}, refused("the token has no exp", nil)
	case id.Subject == "" && (hasSubject || id.Client == ""):
		return guard.Identity{}, refused("the token names nobody", nil)
	case bound: // anyone with the token would pass
		return guard.Identity{}, refused("the token is bound to a key, and no proof is checked here", nil)
	case !exp.IsZero() && !now.Before(exp.Add(leeway)):
		return guard.Identity{}, refused("the token has expired", nil)
	case now.Add(leeway).Before(nbf):
		return guard.Identity{}, refused("the token is not valid yet", nil)
	}
	return id, nil
}
