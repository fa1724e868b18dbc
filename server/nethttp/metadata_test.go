package nethttp_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server/nethttp"
)

// Each member of RFC 9728 that is set is served, and none that is not.
//
// rows: AUTH-008
func TestMetadataMembers(t *testing.T) {
	least := nethttp.ResourceMetadata{Resource: "https://mcp.example", AuthorizationServers: []string{"https://a.example"}}
	full := nethttp.ResourceMetadata{
		Resource: "https://mcp.example", AuthorizationServers: []string{"https://a.example", "http://127.0.0.1:8080/tenant"},
		Scopes: []string{"mcp", "write"}, BearerMethods: []string{"header"},
		Keys: "https://mcp.example/keys", SigningAlgorithms: []string{"ES256"}, Name: "n", Documentation: "https://mcp.example/d",
		Policy: "https://mcp.example/p", Terms: "https://mcp.example/t", CertificateBound: true, AuthorizationDetails: []string{"payment"},
		ProofAlgorithms: []string{"ES256"}, ProofRequired: true, Signed: "e30.e30.",
		More: map[string]any{"resource_name#de": "ä", "x": []int{1}},
	}
	const bare = `{"resource":"https://mcp.example","authorization_servers":["https://a.example"],"bearer_methods_supported":["header"]}`
	const all = `{"resource":"https://mcp.example","authorization_servers":["https://a.example","http://127.0.0.1:8080/tenant"],
		"scopes_supported":["mcp","write"],"bearer_methods_supported":["header"],"jwks_uri":"https://mcp.example/keys",
		"resource_signing_alg_values_supported":["ES256"],"resource_name":"n","resource_documentation":"https://mcp.example/d",
		"resource_policy_uri":"https://mcp.example/p","resource_tos_uri":"https://mcp.example/t","tls_client_certificate_bound_access_tokens":true,
		"authorization_details_types_supported":["payment"],"dpop_signing_alg_values_supported":["ES256"],"dpop_bound_access_tokens_required":true,
		"signed_metadata":"e30.e30.","resource_name#de":"ä","x":[1]}`
	for want, m := range map[string]nethttp.ResourceMetadata{bare: least, all: full} {
		_, s := start(t, newKit(), nethttp.Options{Metadata: &m})
		p := newPeer(t, s.URL)
		p.url = s.URL + "/.well-known/oauth-protected-resource"
		got, members := map[string]any{}, map[string]any{}
		if err := json.Unmarshal([]byte(p.do(p.request(context.Background(), "GET", "")).want(200).body), &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(want), &members); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, members) {
			t.Errorf("got %v\nwant %v", got, members)
		}
	}
}

// Metadata that mislead clients are refused, with the field and what it may be.
//
// rows: AUTH-012 AUTH-217
// revisions: 2025-06-18..
func TestMetadataFaults(t *testing.T) {
	for field, edit := range map[string]func(m *nethttp.ResourceMetadata){
		"Resource":                func(m *nethttp.ResourceMetadata) { m.Resource = "" },
		"Resource ":               func(m *nethttp.ResourceMetadata) { m.Resource = "https://mcp.example#x" },
		"Resource  ":              func(m *nethttp.ResourceMetadata) { m.Resource = ":" },
		"Resource   ":             func(m *nethttp.ResourceMetadata) { m.Resource = "ftp://mcp.example" },
		"AuthorizationServers":    func(m *nethttp.ResourceMetadata) { m.AuthorizationServers = nil },
		"AuthorizationServers ":   func(m *nethttp.ResourceMetadata) { m.AuthorizationServers = []string{} },
		"AuthorizationServers  ":  func(m *nethttp.ResourceMetadata) { m.AuthorizationServers = []string{"https://a.example", ""} },
		"AuthorizationServers   ": func(m *nethttp.ResourceMetadata) { m.AuthorizationServers = []string{"https://a.example?x"} },
		"Scopes":                  func(m *nethttp.ResourceMetadata) { m.Scopes = []string{"mcp", "offline_access"} },
		"Scopes ":                 func(m *nethttp.ResourceMetadata) { m.Scopes = []string{"two words"} },
		"Scopes  ":                func(m *nethttp.ResourceMetadata) { m.Scopes = []string{""} },
		"Keys":                    func(m *nethttp.ResourceMetadata) { m.Keys = "http://mcp.example/keys" },
		"SigningAlgorithms":       func(m *nethttp.ResourceMetadata) { m.SigningAlgorithms = []string{"none"} },
		"More": func(m *nethttp.ResourceMetadata) {
			m.More = map[string]any{"scopes_supported": []string{"offline_access"}}
		},
		"More ":  func(m *nethttp.ResourceMetadata) { m.More = map[string]any{"resource": "x"} },
		"More  ": func(m *nethttp.ResourceMetadata) { m.More = map[string]any{"": 1} },
	} {
		field = strings.TrimSpace(field)
		m := nethttp.ResourceMetadata{Resource: "https://mcp.example", AuthorizationServers: []string{"https://a.example"}}
		edit(&m)
		_, err := nethttp.NewHandler(serverConfig, newKit().handlers(), nethttp.Options{Metadata: &m})
		var config *lifecycle.ConfigError
		if !errors.As(err, &config) || config.Field != "Metadata."+field || config.Package != "nethttp" {
			t.Errorf("%s: %v", field, err)
		}
	}
	for _, odd := range []map[string]any{{"x": make(chan int)}, {"x": func() {}}} {
		m := nethttp.ResourceMetadata{Resource: "https://mcp.example", AuthorizationServers: []string{"https://a.example"}, More: maps.Clone(odd)}
		if _, err := nethttp.NewHandler(serverConfig, newKit().handlers(), nethttp.Options{Metadata: &m}); err == nil {
			t.Errorf("%v is taken", odd)
		}
	}
}
