package nethttp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server/guard"
)

// ResourceMetadata tells clients where to get a token for this server (RFC 9728, section 2;
// AUTH-008). Empty fields are omitted.
type ResourceMetadata struct {
	// Resource is the url of the server as clients know it, such as
	// https://api.example/mcp: what tokens are for. Required.
	Resource string `json:"resource"`
	// AuthorizationServers are the issuers whose tokens are accepted; at least one (AUTH-012).
	AuthorizationServers []string `json:"authorization_servers"`
	// Scopes are the supported scopes.
	Scopes []string `json:"scopes_supported,omitempty"`
	// BearerMethods says how a token is sent; empty means ["header"], the only way in MCP.
	BearerMethods []string `json:"bearer_methods_supported,omitempty"`
	// Keys is the https url of the public keys of the server, for its signatures.
	Keys string `json:"jwks_uri,omitempty"`
	// SigningAlgorithms are those of its signatures.
	SigningAlgorithms []string `json:"resource_signing_alg_values_supported,omitempty"`
	// Name, Documentation, Policy and Terms are for people.
	Name          string `json:"resource_name,omitempty"`
	Documentation string `json:"resource_documentation,omitempty"` // a url
	Policy        string `json:"resource_policy_uri,omitempty"`    // a url
	Terms         string `json:"resource_tos_uri,omitempty"`       // a url
	// CertificateBound is true if tokens are bound to the certificate of the client (RFC 8705).
	CertificateBound bool `json:"tls_client_certificate_bound_access_tokens,omitempty"`
	// AuthorizationDetails are the types of authorization_details that the server knows (RFC 9396).
	AuthorizationDetails []string `json:"authorization_details_types_supported,omitempty"`
	// ProofAlgorithms are the algorithms of DPoP proofs that the server accepts (RFC 9449).
	ProofAlgorithms []string `json:"dpop_signing_alg_values_supported,omitempty"`
	// ProofRequired says that tokens must be bound by such a proof.
	ProofRequired bool `json:"dpop_bound_access_tokens_required,omitempty"`
	// Signed is a JWT that has these members as claims.
	Signed string `json:"signed_metadata,omitempty"`
	// More are further members, such as "resource_name#de" for a Name in another language (RFC 9728,
	// section 2.1): anything that encoding/json can write.
	More map[string]any `json:"-"`
}

// wellKnown is where RFC 9728, section 3.1, puts the metadata, before the path of the
// resource.
const wellKnown = "/.well-known/oauth-protected-resource"

// metadata is a ResourceMetadata that is ready to be served.
type metadata struct {
	url  string // absolute, for challenges
	path string
	body []byte
}

func newMetadata(m *ResourceMetadata) (*metadata, error) {
	if m == nil {
		return nil, nil
	}
	u, err := m.check()
	if err != nil {
		return nil, err
	}
	full := *m
	if len(full.BearerMethods) == 0 {
		full.BearerMethods = []string{"header"}
	}
	body, err := full.encode()
	if err != nil {
		return nil, err
	}
	at := url.URL{Scheme: u.Scheme, Host: u.Host, Path: wellKnown + strings.TrimSuffix(u.Path, "/"), RawQuery: u.RawQuery}
	return &metadata{url: at.String(), path: at.Path, body: body}, nil
}

// check returns the url of the resource.
func (m *ResourceMetadata) check() (*url.URL, error) {
	wrong := func(field, value, want string) (*url.URL, error) {
		return nil, &lifecycle.ConfigError{Package: "nethttp", Field: "Metadata." + field, Value: strconv.Quote(value), Why: "want " + want}
	}
	u, ok := webURL(m.Resource)
	switch keys, good := webURL(m.Keys); {
	case !ok:
		return wrong("Resource", m.Resource, "an http or https url without fragment")
	case len(m.AuthorizationServers) == 0:
		return wrong("AuthorizationServers", "", "at least one issuer")
	case m.Keys != "" && (!good || keys.Scheme != "https"):
		return wrong("Keys", m.Keys, "an https url")
	case slices.Contains(m.SigningAlgorithms, "none"):
		return wrong("SigningAlgorithms", "none", "an algorithm that signs")
	}
	for _, issuer := range m.AuthorizationServers {
		if at, ok := webURL(issuer); !ok || at.RawQuery != "" || at.ForceQuery {
			return wrong("AuthorizationServers", issuer, "http or https urls without query and fragment")
		}
	}
	for _, scope := range m.Scopes {
		if !guard.Offerable(scope) {
			return wrong("Scopes", scope, "scopes as of RFC 6749, other than offline_access") // AUTH-217
		}
	}
	return u, nil
}

// webURL returns a url of http or https without fragment.
func webURL(text string) (*url.URL, bool) {
	u, err := url.Parse(text)
	return u, err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.Fragment == ""
}

// encode returns the members, with those of More behind them.
func (m *ResourceMetadata) encode() ([]byte, error) {
	body, err := json.Marshal(m)
	if err != nil || len(m.More) == 0 {
		return body, err
	}
	for name := range m.More {
		if name == "" || hasField(name) {
			return nil, &lifecycle.ConfigError{Package: "nethttp", Field: "Metadata.More", Value: strconv.Quote(name), Why: "want a member that has no field of its own"}
		}
	}
	more, err := json.Marshal(m.More)
	if err != nil {
		return nil, fmt.Errorf("nethttp: Metadata.More: %w", err)
	}
	return append(append(body[:len(body)-1], ','), more[1:]...), nil
}

// hasField reports whether a member has a field of ResourceMetadata.
func hasField(member string) bool {
	text, err := json.Marshal(map[string]any{member: nil})
	if err != nil {
		return false
	}
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	return in.Decode(new(ResourceMetadata)) == nil
}
