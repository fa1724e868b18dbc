package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/protocol/headers"
)

// redirect is where the authorization server sends the user back to. Nobody listens there:
// the servers of the suite redirect at once, and the code is read out of that.
const redirect = "http://localhost:3000/callback"

// document is where a client says who it is, for servers that read that.
const document = "https://conformance-test.local/client-metadata.json"

// login gets tokens at the authorization server of an MCP server, as the page Authorization
// of the specification says. It is what an application puts behind remote.Options.Token.
type login struct {
	server *url.URL
	hc     *http.Client
	client credentials
}

// credentials are what an authorization server knows a client by.
type credentials struct {
	ID     string `json:"client_id"`
	Secret string `json:"client_secret"`
}

// resource is the part of the protected resource metadata that counts (RFC 9728).
type resource struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported"`
}

// issuer is the part of the metadata of an authorization server that counts (RFC 8414).
type issuer struct {
	Authorize string   `json:"authorization_endpoint"`
	Token     string   `json:"token_endpoint"`
	Register  string   `json:"registration_endpoint"`
	Methods   []string `json:"token_endpoint_auth_methods_supported"`
	Documents bool     `json:"client_id_metadata_document_supported"`
}

func newLogin(server string) (*login, error) {
	u, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	l := &login{server: u, hc: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}}
	if text := os.Getenv("MCP_CONFORMANCE_CONTEXT"); text != "" {
		if err := json.Unmarshal([]byte(text), &l.client); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// token returns a token, once the server wants one.
func (l *login) token(ctx context.Context, c headers.Challenge) (string, error) {
	if c == (headers.Challenge{}) {
		return "", nil
	}
	r, err := l.resource(ctx, c.ResourceMetadata)
	if err != nil {
		return "", err
	}
	as, err := l.issuer(ctx, r.Servers[0])
	if err != nil {
		return "", err
	}
	if err := l.register(ctx, as); err != nil {
		return "", err
	}
	scope := c.Scope
	if scope == "" {
		scope = strings.Join(r.Scopes, " ")
	}
	code, verifier, err := l.authorize(ctx, as, r.Resource, scope)
	if err != nil {
		return "", err
	}
	return l.exchange(ctx, as, r.Resource, code, verifier)
}

// resource finds out which authorization server there is. Servers of 2025-03-26 do not say
// so: it is their own origin.
func (l *login) resource(ctx context.Context, at string) (r resource, err error) {
	places := []string{at}
	if at == "" {
		places = []string{l.at("/.well-known/oauth-protected-resource" + l.server.Path), l.at("/.well-known/oauth-protected-resource")}
	}
	for _, place := range places {
		if err = l.get(ctx, place, &r); err == nil && len(r.Servers) > 0 {
			return r, nil
		}
	}
	if at != "" {
		return r, errors.Join(err, fmt.Errorf("no authorization server in %s", at))
	}
	return resource{Servers: []string{l.at("")}}, nil
}

// at returns the url of a path at the MCP server.
func (l *login) at(path string) string {
	return (&url.URL{Scheme: l.server.Scheme, Host: l.server.Host, Path: path}).String()
}

// issuer finds the endpoints of an authorization server.
func (l *login) issuer(ctx context.Context, id string) (as issuer, err error) {
	u, err := url.Parse(id)
	if err != nil {
		return as, err
	}
	path := strings.TrimSuffix(u.Path, "/")
	base := u.Scheme + "://" + u.Host
	places := []string{base + "/.well-known/oauth-authorization-server" + path, base + "/.well-known/openid-configuration" + path}
	if path != "" {
		places = append(places, base+path+"/.well-known/openid-configuration")
	}
	for _, place := range places {
		if err = l.get(ctx, place, &as); err == nil && as.Token != "" {
			return as, nil
		}
	}
	// 2025-03-26: the endpoints are where they are by default.
	return issuer{Authorize: base + "/authorize", Token: base + "/token", Register: base + "/register"}, nil
}

// register makes the client known, unless it is.
func (l *login) register(ctx context.Context, as issuer) error {
	switch {
	case l.client.ID != "":
		return nil
	case as.Documents:
		l.client.ID = document
		return nil
	}
	method := "client_secret_basic"
	if len(as.Methods) > 0 {
		method = as.Methods[0]
	}
	body, err := json.Marshal(map[string]any{
		"client_name": "sansmcp-suiteclient", "redirect_uris": []string{redirect}, "token_endpoint_auth_method": method,
		"grant_types": []string{"authorization_code", "refresh_token"}, "response_types": []string{"code"},
	})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, as.Register, strings.NewReader(string(body)))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	return l.do(req, &l.client)
}

// authorize asks the user, who agrees at once, and returns the code.
func (l *login) authorize(ctx context.Context, as issuer, resource, scope string) (code, verifier string, err error) {
	verifier, state := rand.Text()+rand.Text(), rand.Text()
	sum := sha256.Sum256([]byte(verifier))
	q := url.Values{
		"response_type": {"code"}, "client_id": {l.client.ID}, "redirect_uri": {redirect}, "state": {state},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}
	if scope != "" {
		q.Set("scope", scope)
	}
	if resource != "" {
		q.Set("resource", resource)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, as.Authorize+"?"+q.Encode(), nil)
	if err != nil {
		return "", "", err
	}
	resp, err := l.hc.Do(req)
	if err != nil {
		return "", "", err
	}
	defer func() { _ = resp.Body.Close() }()
	back, err := resp.Location()
	if err != nil {
		return "", "", fmt.Errorf("the authorization server does not redirect: status %d", resp.StatusCode)
	}
	if back.Query().Get("state") != state || back.Query().Get("code") == "" {
		return "", "", errors.New("the authorization server gives no code for this question")
	}
	return back.Query().Get("code"), verifier, nil
}

// exchange gets the token for a code.
func (l *login) exchange(ctx context.Context, as issuer, resource, code, verifier string) (string, error) {
	form := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {redirect}, "code_verifier": {verifier}}
	if resource != "" {
		form.Set("resource", resource)
	}
	basic := l.client.Secret != "" && (len(as.Methods) == 0 || slices.Contains(as.Methods, "client_secret_basic"))
	if !basic {
		form.Set("client_id", l.client.ID)
		if l.client.Secret != "" && slices.Contains(as.Methods, "client_secret_post") {
			form.Set("client_secret", l.client.Secret)
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, as.Token, strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if basic {
		req.SetBasicAuth(url.QueryEscape(l.client.ID), url.QueryEscape(l.client.Secret))
	}
	var got struct {
		Token string `json:"access_token"`
	}
	err = l.do(req, &got)
	return got.Token, err
}

func (l *login) get(ctx context.Context, at string, v any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return err
	}
	return l.do(req, v)
}

// do makes a request and reads the JSON of the answer.
func (l *login) do(req *http.Request, v any) error {
	req.Header.Set("Accept", "application/json")
	resp, err := l.hc.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s: status %d", req.Method, req.URL.Path, resp.StatusCode)
	}
	return json.NewDecoder(http.MaxBytesReader(nil, resp.Body, 1<<20)).Decode(v)
}
