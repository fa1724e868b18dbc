package oauth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
)

// enterPage sends the person to the authorization server, with a state and a verifier of this page alone
// (AUTH-043). What the answer is held to is kept: its issuer and the two (AUTH-206).
func (f *Flow) enterPage(r Random) {
	f.run.state, f.run.verifier = f.derive(r, "state"), Secret(f.derive(r, "verifier"))
	f.run.redirect, f.run.foreign = f.c.Redirect, 0
	f.run.until = f.now.Add(f.c.Person)
	f.rec.Asked = union(f.rec.Asked, without(f.run.scope, offline))
	f.phase = Person
}

// without returns a list without one of its elements.
func without(list []string, not string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == not })
}

// Page returns the page that a person must open; it is zero except in phase Person.
func (f Flow) Page() Page {
	if f.phase != Person {
		return Page{}
	}
	sum := sha256.Sum256([]byte(f.run.verifier))
	q := values{}
	q.add("response_type", "code")
	q.add("client_id", f.run.client.ID)
	q.add("redirect_uri", f.run.redirect)
	q.add("state", f.run.state)
	q.add("code_challenge", base64.RawURLEncoding.EncodeToString(sum[:])) // AUTH-043
	q.add("code_challenge_method", "S256")                                // AUTH-115
	q.add("resource", f.run.meta.Resource)
	if scope := strings.Join(f.run.scope, " "); scope != "" {
		q.add("scope", scope)
		if slices.Contains(f.run.scope, offline) {
			q.add("prompt", "consent") // which OpenID Connect wants for it
		}
	}
	at := f.run.server.Authorize
	switch {
	case !strings.Contains(at, "?"):
		at += "?"
	case !strings.HasSuffix(at, "?") && !strings.HasSuffix(at, "&"):
		at += "&"
	}
	return Page{URL: at + string(q), Issuer: f.run.server.Issuer, State: f.run.state, Until: f.run.until}
}

// values are parameters of a form or a query, in their order.
type values []byte

func (v *values) add(name, value string) {
	if len(*v) > 0 {
		*v = append(*v, '&')
	}
	*v = append(*v, name+"="+url.QueryEscape(value)...)
}

// returned takes the query of the redirect by which the person came back. The issuer is looked at before
// anything else of the answer, and compared as it is (AUTH-201, AUTH-207, AUTH-208, SEC-203).
func (f *Flow) returned(query string) {
	q, ok := answered(query)
	if !ok || subtle.ConstantTimeCompare([]byte(q.state), []byte(f.run.state)) != 1 {
		if f.run.foreign++; f.run.foreign >= maxForeign {
			f.fail(Failure{Reason: Abandoned})
		}
		return
	}
	f.run.until = f.now.Add(f.c.Patience)
	switch {
	case f.run.server.Returns && !q.has, q.has && q.iss != f.run.server.Issuer:
		f.fail(Failure{Reason: IssuerMismatch})
	case q.error != "":
		f.fail(Failure{Reason: Refused, Code: code(q.error), Text: said(q.text)})
	case q.code == "":
		f.fail(Failure{Reason: Malformed})
	default:
		f.run.state, f.run.code = "", Secret(q.code)
		f.enter(stepToken)
	}
}

// redirected is an authorization response.
type redirected struct {
	state, code, iss, error, text string
	has                           bool // iss
}

// answered reads an authorization response; ok is false if it is too long, or says anything twice.
func answered(query string) (q redirected, ok bool) {
	if len(query) > maxURL {
		return q, false
	}
	v, err := url.ParseQuery(strings.TrimPrefix(query, "?"))
	if err != nil {
		return q, false
	}
	for _, p := range [...]struct {
		name string
		to   *string
	}{{"state", &q.state}, {"code", &q.code}, {"iss", &q.iss}, {"error", &q.error}, {"error_description", &q.text}} {
		if len(v[p.name]) > 1 {
			return q, false
		}
		*p.to = v.Get(p.name)
	}
	_, q.has = v["iss"]
	return q, true
}
