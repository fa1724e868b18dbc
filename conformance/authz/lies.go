package authz

import (
	"encoding/base64"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
)

// A Lie makes some answers at a place wrong: another answer, or other or missing members of
// the document, the challenge or the redirect.
type Lie struct {
	Name  string // for failure messages
	At    Place  // where
	Host  string // the lying origin; "" for each
	Skip  int    // so many right answers first
	Times int    // then so many wrong ones; 0 for all

	Answer Response       // unless Change is set
	Late   bool           // Answer arrives after the request was done: it is lost
	Change map[string]any // values; nil removes, a func(any) any gets the right one
	seen   int
}

// due reports whether a lie applies now, and counts it.
func (l *Lie) due(p Place, at string) bool {
	if l.At != p || l.Host != "" && l.Host != Origin(at) {
		return false
	}
	l.seen++
	return l.seen > l.Skip && (l.Times == 0 || l.seen <= l.Skip+l.Times)
}

// lie returns the Lie that replaces an answer, if any.
func (w *World) lie(p Place, at string) *Lie {
	for _, l := range w.Lies {
		if l.Change == nil && l.due(p, at) {
			return l
		}
	}
	return nil
}

// change returns members as changed by the lies.
func (w *World) change(p Place, at string, members map[string]any) map[string]any {
	out := maps.Clone(members)
	for _, l := range w.Lies {
		if l.Change == nil || !l.due(p, at) {
			continue
		}
		for name, v := range l.Change {
			switch v := v.(type) {
			case nil:
				delete(out, name)
			case func(any) any:
				out[name] = v(out[name])
			default:
				out[name] = v
			}
		}
	}
	return out
}

var (
	giant = strings.Repeat(" ", 1<<20) + "{}"
	deep  = strings.Repeat(`{"a":[`, 20_000)
)

// Elsewhere is the origin of an attacker: not a server of the World, which still records its requests.
const Elsewhere = "https://elsewhere.example"

func typed(status int, kind, body string) Response {
	return Response{Status: status, Header: map[string]string{"Content-Type": kind}, Body: body}
}

func to(status int, where string) Response {
	return Response{Status: status, Header: map[string]string{"Location": where}}
}

// Answers returns the lies that any place can tell, with the given Skip and Times.
func Answers(at Place, skip, times int) []*Lie {
	var out []*Lie
	for _, a := range []struct {
		name string
		Response
	}{
		{"5xx", typed(503, "text/plain", "later")}, {"busy", Response{Status: 429, Header: map[string]string{"Retry-After": "7"}}},
		{"busy for long", Response{Status: 503, Header: map[string]string{"Retry-After": "86400"}}}, {"silent", Response{}},
		{"silent for long", Response{After: time.Hour}}, {"slow", Response{Status: 504, After: 20 * time.Second}}, {"forbidden", Response{Status: 403}},
		{"gone", Response{Status: 404}}, {"unauthorized", Response{Status: 401}}, {"empty", typed(200, "application/json", "")},
		{"html", typed(200, "text/html", "<html>log in")}, {"no json", typed(200, "application/json", "{")}, {"null", typed(200, "application/json", "null")},
		{"list", typed(200, "application/json", "[1]")}, {"giant", typed(200, "application/json", giant)}, {"deep", typed(200, "application/json", deep)},
		{"doubled", typed(200, "application/json", `{"issuer":1,"issuer":2}`)}, {"to http", to(301, "http://as.example/x")},
		{"to a private address", to(302, "https://169.254.169.254/latest")}, {"to loopback", to(307, "https://[::ffff:127.0.0.1]/")},
		{"elsewhere", to(308, Elsewhere+"/x")}, {"to a file", to(302, "file:///etc/passwd")}, {"nowhere", to(303, "")}, {"in a circle", to(307, "?again")},
	} {
		for _, late := range []bool{false, true} {
			out = append(out, &Lie{Name: a.name, At: at, Skip: skip, Times: times, Answer: a.Response, Late: late})
		}
	}
	return out
}

// Changes returns the lies in the documents of places.
func Changes() []*Lie {
	var out []*Lie
	add := func(at Place, name string, values ...any) {
		for _, v := range values {
			out = append(out, &Lie{Name: name, At: at, Change: map[string]any{name: v}})
		}
	}
	slash := func(v any) any { s, _ := v.(string); return s + "/" }
	upper := func(v any) any { s, _ := v.(string); return strings.ToUpper(s) }
	plain := func(v any) any { s, _ := v.(string); return strings.Replace(s, "https:", "http:", 1) }
	odd := func(v any) any { s, _ := v.(string); return s + "odd :+%~" } // different for each issuer
	many := make([]string, 2000)
	for i := range many {
		many[i] = Elsewhere + "/many"
	}
	add(Challenge, "resource_metadata", nil, Elsewhere+"/meta", "http://127.0.0.1/meta", plain, "javascript:alert(1)", "", giant[:20_000])
	add(Challenge, "scope", nil, "read", "write", "read write", "offline_access", `a"b`, giant[:20_000])
	add(Challenge, "error", nil, "invalid_token", "insufficient_scope", "invalid_request", "x")
	add(Described, "resource", nil, Elsewhere+"/mcp", slash, upper, plain, 1)
	add(Described, "authorization_servers", nil, []string{}, []string{Elsewhere}, []string{"http://as.example"}, many, "https://as.example", []string{"javascript:x"}, []string{"https://10.0.0.1"})
	add(Described, "scopes_supported", nil, []string{}, []string{"a", "b"}, many, 3)
	add(Metadata, "issuer", nil, Elsewhere, slash, upper, plain, []string{"x"})
	add(Metadata, "code_challenge_methods_supported", nil, []string{}, []string{"plain"}, []string{"plain", "S256"}, "S256", []string{"s256"})
	add(Metadata, "authorization_endpoint", nil, "javascript:alert(1)", "data:text/html,x", plain, "https://10.1.2.3/authorize", "/authorize", Elsewhere+"/authorize")
	for _, name := range []string{"token_endpoint", "registration_endpoint"} {
		add(Metadata, name, nil, plain, "https://169.254.169.254/token", "file:///x", "token", 7)
	}
	add(Metadata, "authorization_response_iss_parameter_supported", nil, "true", false)
	add(Metadata, "client_id_metadata_document_supported", nil, "true", true)
	add(Metadata, "scopes_supported", nil, []string{"offline_access"}, many)
	add(Metadata, "token_endpoint_auth_methods_supported", nil, []string{}, []string{"none"}, []string{"client_secret_post"}, []string{"client_secret_jwt"}, []string{"private_key_jwt"}, many)
	add(Authorize, "iss", nil, Elsewhere, slash, upper, "")
	add(Authorize, "state", nil, "", "x", slash)
	add(Authorize, "code", nil, "", "forged", giant[:20_000])
	add(Authorize, "error", "access_denied", "server_error", "invalid_scope", "<script>")
	add(Register, "client_id", nil, "", 1, giant[:20_000])
	add(Register, "client_secret", nil, odd, 5)
	add(Register, "token_endpoint_auth_method", nil, "none", "client_secret_post", "tls_client_auth")
	add(Tokens, "access_token", nil, "", "a b", "a\r\nX: y", giant[:20_000], 9)
	add(Tokens, "token_type", nil, "MAC", "bearer", "DPoP", "N_A", 1)
	add(Tokens, "refresh_token", nil, "", 4, giant[:20_000])
	add(Tokens, "expires_in", nil, 0, 1, -5, int64(1<<53), 1e300, "3600", "soon", 0.5)
	add(Tokens, "scope", nil, "", "read", "read write more", giant[:20_000], 2)
	return out
}

// Misplaced reports which secrets of the requests seen after from reached an origin that they do not
// belong to, or were in a url, and which clients were used at another issuer.
func (w *World) Misplaced(from int) []string {
	var out []string
	for _, s := range w.Seen[from:] {
		at, form := Origin(s.URL), url.Values{}
		if s.Place != Register {
			form, _ = url.ParseQuery(s.Body)
		}
		basic, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(s.Header["Authorization"], "Basic "))
		plain, _ := url.QueryUnescape(s.Body + "\n" + string(basic))
		text := strings.Join([]string{s.URL, s.Body, s.Header["Authorization"], string(basic), plain}, "\n")
		for _, t := range w.Issued {
			verifier := t.Challenge != "" && t.Challenge == S256(form.Get("code_verifier"))
			if (verifier || strings.Contains(text, t.Value)) && !w.home(t, at) || strings.Contains(s.URL, t.Value) {
				out = append(out, t.Kind+" "+t.Value+" of "+t.Issuer+" at "+s.URL)
			}
		}
		for _, i := range w.Issuers {
			for _, c := range i.Clients {
				if (strings.Contains(text, c.ID) || c.Secret != "" && strings.Contains(text, c.Secret)) && !w.knows(c.ID, at) || c.Secret != "" && strings.Contains(s.URL, c.Secret) {
					out = append(out, "client "+c.ID+" of "+i.ID+" at "+s.URL)
				}
			}
		}
	}
	return out
}

// home reports whether an origin may see a token.
func (w *World) home(t *Token, at string) bool {
	return slices.ContainsFunc(w.Resources, func(r *Resource) bool {
		return t.Kind == "access" && Origin(r.URL) == at && (t.Resource == r.name() || r.told[t.Resource] || r.Unbound)
	}) || slices.ContainsFunc(w.Issuers, func(i *Issuer) bool {
		return (i.ID == t.Issuer || t.Kind == "id-jag" && strings.TrimSuffix(t.Client, "/") == strings.TrimSuffix(i.ID, "/")) && i.home(at)
	})
}

// knows reports whether an origin belongs to an issuer that knows a client.
func (w *World) knows(id, at string) bool {
	return slices.ContainsFunc(w.Issuers, func(i *Issuer) bool { return i.Clients[id] != nil && i.home(at) })
}

// home reports whether an origin belongs to an issuer, or to a token endpoint that it named.
func (i *Issuer) home(at string) bool { return Origin(i.ID) == at || i.told[at] }
