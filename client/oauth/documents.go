package oauth

import (
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// The bounds of what is taken from others.
const (
	maxDocument = 256 << 10 // bytes of a metadata document
	maxAnswer   = 64 << 10  // bytes of an answer of a token or registration endpoint
	maxString   = 8 << 10   // bytes of a string
	maxList     = 64        // elements of a list
	maxScope    = 256       // bytes of a scope
	maxIssuers  = 8         // authorization servers that are tried
)

// document is a JSON object from a server.
type document string

// parse returns the document in a body; ok is false if it is too long or no JSON object.
func parse(body []byte, most int) (document, bool) {
	if len(body) > most {
		return "", false
	}
	text := strings.TrimSpace(string(body))
	return document(text), strings.HasPrefix(text, "{") && rawjson.Valid(text)
}

// text returns a member that is a string; "" if it is not a string, or too long.
func (d document) text(name string) string {
	s := rawjson.Text(string(d), name)
	if len(s) > maxString {
		return ""
	}
	return strings.Clone(s)
}

// list returns the strings of a member that is an array; nil for another type. What is behind the
// 64th is left out.
func (d document) list(name string) []string {
	raw, _ := rawjson.Get(string(d), name)
	elements, ok := rawjson.Elements(raw)
	if !ok {
		return nil
	}
	list := []string{}
	for val := range elements.All {
		if s, ok := rawjson.Unquote(val); ok && len(s) <= maxString && len(list) < maxList {
			list = append(list, strings.Clone(s))
		}
	}
	return list
}

// flag reports whether a member is true.
func (d document) flag(name string) bool {
	raw, _ := rawjson.Get(string(d), name)
	return raw == "true"
}

// seconds returns a member that is a number of seconds, also as a string, as some servers write it. ok is
// false for anything else, and for what is not positive.
func (d document) seconds(name string) (time.Duration, bool) {
	raw, _ := rawjson.Get(string(d), name)
	if s, ok := rawjson.Unquote(raw); ok {
		raw = s
	}
	n, ok := rawjson.Int(raw)
	if !ok {
		if f, isFloat := rawjson.Float(raw); isFloat && f > 0 {
			n, ok = int64(min(f, maxLife.Seconds())), true
		}
	}
	if !ok || n <= 0 {
		return 0, false
	}
	return min(time.Duration(min(n, int64(maxLife/time.Second)))*time.Second, maxLife), true
}

// maxLife is the longest life of a token that is believed.
const maxLife = 10 * 365 * 24 * time.Hour

// resourceDocument is protected resource metadata (RFC 9728, section 2).
type resourceDocument struct {
	Resource string
	Issuers  []string
	Scopes   []string
}

func parseResource(d document) (r resourceDocument, ok bool) {
	r = resourceDocument{Resource: d.text("resource"), Issuers: d.list("authorization_servers"), Scopes: scopes(d.list("scopes_supported"))}
	return r, r.Resource != "" && len(r.Issuers) > 0
}

// issuerDocument is what an authorization server says of itself (RFC 8414, section 2; OpenID Connect
// Discovery, section 3).
type issuerDocument struct {
	Issuer    string
	Authorize string
	Token     string
	Register  string
	Methods   []string // of the token endpoint; nil if it does not say
	S256      bool     // among the methods of PKCE (AUTH-105)
	Documents bool     // it reads client id metadata documents
	Returns   bool     // it puts iss into each authorization response (RFC 9207)
	Offline   bool     // offline_access is among its scopes
	Legacy    bool     // there is no document: its endpoints are where they are by default (AUTH-056)
}

func parseIssuer(d document) (s issuerDocument, ok bool) {
	s = issuerDocument{
		Issuer: d.text("issuer"), Authorize: d.text("authorization_endpoint"), Token: d.text("token_endpoint"),
		Register: d.text("registration_endpoint"), Methods: known(d.list("token_endpoint_auth_methods_supported")),
		S256:      slices.Contains(d.list("code_challenge_methods_supported"), "S256"),
		Documents: d.flag("client_id_metadata_document_supported"),
		Returns:   d.flag("authorization_response_iss_parameter_supported"),
		Offline:   slices.Contains(d.list("scopes_supported"), offline),
	}
	return s, s.Issuer != "" && s.Token != ""
}

// known returns the ways to authenticate that a client has; nil stays nil.
func known(listed []string) []string {
	return slices.DeleteFunc(listed, func(m string) bool { return !slices.Contains(methods, m) })
}

// scopes returns those of a list that can be scopes (RFC 6749, section 3.3), each once.
func scopes(list []string) []string {
	var all []string
	for _, s := range list {
		if s != "" && len(s) <= maxScope && len(all) < maxList && !strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c == '"' || c == '\\' || c > 0x7E }) && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// offline is the scope that asks for a refresh token.
const offline = "offline_access"
