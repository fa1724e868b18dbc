package nethttp

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// ResourceMetadata tells clients where they get a token for this server (RFC 9728,
// section 2; AUTH-008).
type ResourceMetadata struct {
	// Resource is the url of the server as clients know it, such as
	// https://api.example/mcp: what tokens are for. Required.
	Resource string `json:"resource"`
	// AuthorizationServers are the issuers whose tokens are accepted; at least one (AUTH-012).
	AuthorizationServers []string `json:"authorization_servers"`
	// Scopes are the scopes that there are.
	Scopes []string `json:"scopes_supported,omitempty"`
	// BearerMethods says how a token is sent; empty means ["header"], the only way in MCP.
	BearerMethods []string `json:"bearer_methods_supported,omitempty"`
	// Name, Documentation, Policy and Terms are for people.
	Name          string `json:"resource_name,omitempty"`
	Documentation string `json:"resource_documentation,omitempty"` // a url
	Policy        string `json:"resource_policy_uri,omitempty"`    // a url
	Terms         string `json:"resource_tos_uri,omitempty"`       // a url
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
	u, err := url.Parse(m.Resource)
	switch {
	case err != nil:
		return nil, fmt.Errorf("nethttp: ResourceMetadata.Resource: %w", err)
	case u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.Fragment != "":
		return nil, fmt.Errorf("nethttp: ResourceMetadata.Resource is %q: want an http or https url without fragment", m.Resource)
	case len(m.AuthorizationServers) == 0:
		return nil, errors.New("nethttp: ResourceMetadata.AuthorizationServers is empty: want at least one")
	}
	full := *m
	if full.BearerMethods == nil {
		full.BearerMethods = []string{"header"}
	}
	body, err := json.Marshal(full)
	if err != nil {
		return nil, err
	}
	at := url.URL{Scheme: u.Scheme, Host: u.Host, Path: wellKnown + strings.TrimSuffix(u.Path, "/"), RawQuery: u.RawQuery}
	return &metadata{url: at.String(), path: at.Path, body: body}, nil
}
