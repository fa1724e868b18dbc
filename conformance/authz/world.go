package authz

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// A Request is what a client sends.
type Request struct {
	Method string            // such as "GET"
	URL    string            // absolute
	Header map[string]string // by canonical names
	Body   string            // a form or a document
}

// A Response is the answer to a Request.
type Response struct {
	Status int               // 0 without an answer
	Header map[string]string // by canonical names
	Body   string            // all of it
	After  time.Duration     // how long it takes
}

// A Place is the purpose of a url of the World.
type Place string

// The places. Challenge and Authorize have no requests; Lies change what is sent there.
const (
	Nowhere    Place = ""
	Guarded    Place = "resource"   // the protected resource itself
	Challenge  Place = "challenge"  // its header WWW-Authenticate
	Described  Place = "described"  // its metadata, RFC 9728
	Metadata   Place = "metadata"   // of an authorization server, RFC 8414 or OpenID
	Authorize  Place = "authorize"  // the redirect at the end of the page
	Register   Place = "register"   // RFC 7591
	Tokens     Place = "token"      // the token endpoint
	Revoke     Place = "revoke"     // RFC 7009
	Introspect Place = "introspect" // RFC 7662
)

// A Form is a set of forms of metadata.
type Form int

// The forms of the metadata of resources, then those of authorization servers.
const (
	InChallenge Form = 1 << iota // at its own url, which the challenge names
	AtPath                       // RFC 9728 with the path of the resource
	AtRoot                       // RFC 9728 without it
	OAuth                        // RFC 8414
	OpenID                       // OpenID, inserted before the path
	Appended                     // OpenID, appended to the path
)

// A Resource is a protected resource. A test may change it between two requests.
type Resource struct {
	URL     string   // as in requests, without a query
	Name    string   // resource in its metadata; "" means URL
	Issuers []string // authorization_servers
	Forms   Form     // of its metadata
	Scopes  []string // scopes_supported
	Need    []string // scopes that a request needs
	Hint    bool     // the challenge of a 401 has Need
	Unbound bool     // tokens of its issuers are accepted for any resource

	told map[string]bool // names of its own origin in served documents
}

// An Issuer is an authorization server. A test may change it between two requests.
type Issuer struct {
	ID      string             // issuer; its endpoints are below it
	Forms   Form               // of its metadata; with none the endpoints can only be guessed
	NoIss   bool               // RFC 9207 is neither advertised nor done
	CIMD    bool               // client id metadata documents are accepted
	DCR     bool               // clients may register
	Methods []string           // token_endpoint_auth_methods_supported
	Scopes  []string           // scopes_supported; with offline_access refresh tokens need it
	Life    time.Duration      // of access tokens; 0 means an hour
	Clients map[string]*Client // by their ids

	told map[string]bool // origins of token endpoints in served documents
}

// A Client is a client known to an Issuer.
type Client struct {
	ID        string                              // client_id
	Secret    string                              // client_secret, if Method has one
	Method    string                              // token_endpoint_auth_method
	Redirects []string                            // redirect_uris, exactly
	Verify    func(signed, signature string) bool // of Method private_key_jwt
}

// A Token is an issued access token, refresh token, code or id-jag.
type Token struct {
	Kind      string    // "access", "refresh", "code" or "id-jag"
	Value     string    // no other secret contains it
	Issuer    string    // its issuer
	Client    string    // its client; for an id-jag, the audience
	Resource  string    // the requested one
	Scope     []string  // the granted ones
	Family    int       // of the authorization that it comes from
	Expires   time.Time // its expiry
	Used      bool      // a code or refresh token that worked
	Dead      bool      // revoked, or of a family with a reused one
	Redirect  string    // of a code: redirect_uri
	Challenge string    // of a code: code_challenge
}

// Seen is a received request.
type Seen struct {
	Request           // unchanged
	At      time.Time // when
	Place   Place     // its purpose
	Status  int       // of the answer
}

// An Answer is the act of the person at a page.
type Answer int

// Answers of a person.
const (
	Agree Answer = iota
	Refuse
	Wait // nothing happens
)

// A World is all servers of a test. It is for one goroutine.
type World struct {
	Resources  []*Resource        // each at a url of its own
	Issuers    []*Issuer          // likewise
	Documents  map[string]*Client // client id metadata documents, by url
	Assertions map[string]string  // assertions and subject tokens of others, by value: the issuer that takes it
	Lies       []*Lie             // the first one that applies counts, of those with an Answer
	Person     Answer             // at each page

	Seen   []Seen   // all requests
	Pages  []string // all that were opened
	Issued []*Token // all of them
}

// Serve answers a request. It accepts any input.
func (w *World) Serve(now time.Time, r Request) Response {
	place, res, iss := w.find(r.URL)
	lie := w.lie(place, r.URL)
	var out Response
	if lie == nil || lie.Late {
		out = w.serve(now, place, res, iss, r)
	}
	if lie != nil {
		out = lie.Answer
	}
	w.Seen = append(w.Seen, Seen{r, now, place, out.Status})
	return out
}

func (w *World) serve(now time.Time, place Place, res *Resource, iss *Issuer, r Request) Response {
	if want := method(place); r.Method != want && place != Guarded && place != Nowhere {
		return Response{Status: 405, Header: map[string]string{"Allow": want}}
	}
	switch place {
	case Guarded:
		return w.guard(now, res, r)
	case Described:
		out := w.document(place, r.URL, res.describe())
		var told map[string]any
		err := json.Unmarshal([]byte(out.Body), &told)
		if name, ok := told["resource"].(string); err == nil && ok && strings.EqualFold(Origin(name), Origin(r.URL)) {
			tell(&res.told, name)
		}
		return out
	case Metadata:
		out := w.document(place, r.URL, iss.describe())
		var told map[string]any
		err := json.Unmarshal([]byte(out.Body), &told)
		if at, ok := told["token_endpoint"].(string); err == nil && ok && told["issuer"] == iss.ID {
			tell(&iss.told, Origin(at))
		}
		return out
	case Authorize:
		if to := w.Approve(now, r.URL); to != "" {
			return Response{Status: 302, Header: map[string]string{"Location": to}}
		}
		return Response{Status: 200, Header: map[string]string{"Content-Type": "text/html"}, Body: "<p>Nothing comes back."}
	case Register:
		return w.register(iss, r)
	case Tokens:
		return w.token(now, iss, r)
	case Revoke, Introspect:
		return w.lookup(now, iss, place, r)
	}
	return Response{Status: 404}
}

func method(p Place) string {
	switch p {
	case Described, Metadata, Authorize:
		return "GET"
	}
	return "POST"
}

// find returns the purpose of a url. The query does not count.
func (w *World) find(text string) (Place, *Resource, *Issuer) {
	text, _, _ = strings.Cut(text, "?")
	for _, r := range w.Resources {
		if r.URL == text {
			return Guarded, r, nil
		}
		for form, at := range wellKnown(r.URL, "oauth-protected-resource") {
			if at == text && r.Forms&form != 0 {
				return Described, r, nil
			}
		}
	}
	for _, i := range w.Issuers {
		for form, at := range wellKnown(i.ID, "oauth-authorization-server") {
			if at == text && i.Forms&form != 0 {
				return Metadata, nil, i
			}
		}
		for _, p := range []Place{Authorize, Register, Tokens, Revoke, Introspect} {
			if i.endpoint(p) == text {
				return p, nil, i
			}
		}
	}
	return Nowhere, nil, nil
}

func (i *Issuer) endpoint(p Place) string { return strings.TrimSuffix(i.ID, "/") + "/" + string(p) }

func tell(told *map[string]bool, what string) {
	if *told == nil {
		*told = map[string]bool{}
	}
	(*told)[what] = true
}

// Origin returns the scheme and host of a url.
func Origin(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// wellKnown returns the possible places of the metadata of a url.
func wellKnown(text, name string) map[Form]string {
	origin := Origin(text)
	path := strings.TrimSuffix(strings.TrimPrefix(text, origin), "/")
	const known = "/.well-known/"
	return map[Form]string{
		InChallenge: origin + "/described" + path, AtPath: origin + known + name + path, AtRoot: origin + known + name,
		OAuth: origin + known + name + path, OpenID: origin + known + "openid-configuration" + path,
		Appended: origin + path + known + "openid-configuration",
	}
}

func (r *Resource) name() string {
	if r.Name != "" {
		return r.Name
	}
	return r.URL
}

func (r *Resource) describe() map[string]any {
	m := map[string]any{"resource": r.name(), "authorization_servers": r.Issuers, "bearer_methods_supported": []string{"header"}}
	if len(r.Scopes) > 0 {
		m["scopes_supported"] = r.Scopes
	}
	return m
}

func (i *Issuer) describe() map[string]any {
	m := map[string]any{
		"issuer": i.ID, "authorization_endpoint": i.endpoint(Authorize), "token_endpoint": i.endpoint(Tokens),
		"revocation_endpoint": i.endpoint(Revoke), "introspection_endpoint": i.endpoint(Introspect),
		"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
		"grant_types_supported": []string{"authorization_code", "refresh_token", "client_credentials", bearerGrant, exchangeGrant},
	}
	if i.DCR {
		m["registration_endpoint"] = i.endpoint(Register)
	}
	if i.CIMD {
		m["client_id_metadata_document_supported"] = true
	}
	if !i.NoIss {
		m["authorization_response_iss_parameter_supported"] = true
	}
	if i.Scopes != nil {
		m["scopes_supported"] = i.Scopes
	}
	if i.Methods != nil {
		m["token_endpoint_auth_methods_supported"] = i.Methods
	}
	return m
}

// document answers with members, as changed by the lies at a place.
func (w *World) document(p Place, at string, members map[string]any) Response {
	return answer(200, w.change(p, at, members))
}

func answer(status int, members map[string]any) Response {
	text, err := json.Marshal(members)
	if err != nil {
		panic(err)
	}
	return Response{Status: status, Header: map[string]string{"Content-Type": "application/json", "Cache-Control": "no-store"}, Body: string(text)}
}

// guard answers at a protected resource: 200 for a valid token, or a challenge.
func (w *World) guard(now time.Time, res *Resource, r Request) Response {
	scheme, value, _ := strings.Cut(r.Header["Authorization"], " ")
	t := w.issued("access", value)
	said := map[string]any{}
	if res.Forms&InChallenge != 0 {
		said["resource_metadata"] = wellKnown(res.URL, "")[InChallenge]
	}
	status := 401
	switch {
	case value == "":
		if res.Hint && len(res.Need) > 0 {
			said["scope"] = strings.Join(res.Need, " ")
		}
	case !strings.EqualFold(scheme, "Bearer") || !t.valid(now) || !slices.Contains(res.Issuers, t.Issuer) || t.Resource != res.name() && !res.Unbound:
		said["error"] = "invalid_token"
	case slices.ContainsFunc(res.Need, func(s string) bool { return !slices.Contains(t.Scope, s) }):
		status, said["error"], said["scope"] = 403, "insufficient_scope", strings.Join(res.Need, " ")
	default:
		return Response{Status: 200, Header: map[string]string{"Content-Type": "application/json"}, Body: "{}"}
	}
	text := "Bearer"
	said = w.change(Challenge, r.URL, said)
	for _, name := range []string{"error", "error_description", "resource_metadata", "scope"} {
		if said[name] != nil {
			text += fmt.Sprintf(`%s %s="%s"`, strings.Repeat(",", min(1, strings.Count(text, "="))), name, said[name])
		}
	}
	return Response{Status: status, Header: map[string]string{"Www-Authenticate": text}}
}
