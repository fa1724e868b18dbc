package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/oauth/login"
)

// document is where a client says who it is, for servers that read that.
const document = "https://conformance-test.local/client-metadata.json"

// given is what the suite tells a client beforehand.
type given struct {
	ID         string `json:"client_id"`
	Secret     string `json:"client_secret"`
	Issuer     string `json:"issuer"`
	Key        string `json:"private_key_pem"`
	Algorithm  string `json:"signing_algorithm"`
	IDPClient  string `json:"idp_client_id"`
	IDToken    string `json:"idp_id_token"`
	IDPToken   string `json:"idp_token_endpoint"`
	WorkloadID string `json:"valid_jwt"`
}

// newLogin returns what logs in at a server, as a scenario wants it.
func newLogin(scenario, server string) (*login.Runner, error) {
	var g given
	if text := os.Getenv("MCP_CONFORMANCE_CONTEXT"); text != "" {
		if err := json.Unmarshal([]byte(text), &g); err != nil {
			return nil, err
		}
	}
	c := oauth.Config{Name: "sansmcp-suiteclient", Document: document}
	if g.ID != "" {
		c.Clients = []oauth.Credentials{{Issuer: g.Issuer, ID: g.ID, Secret: oauth.Secret(g.Secret)}}
	}
	opt := login.Options{Open: open}
	switch scenario {
	case "auth/client-credentials-basic":
		c.Grant = oauth.ClientCredentials
	case "auth/client-credentials-jwt":
		c.Grant, c.Algorithm, c.Clients[0].Method = oauth.ClientCredentials, g.Algorithm, "private_key_jwt"
	case "auth/enterprise-managed-authorization":
		c.Grant, c.Provider = oauth.Enterprise, oauth.Provider{TokenURL: g.IDPToken, Client: oauth.Credentials{ID: g.IDPClient}}
		opt.Give = func(context.Context, oauth.Ask) ([]byte, error) { return []byte(g.IDToken), nil }
	case "auth/wif-jwt-bearer":
		c.Grant, c.Clients = oauth.Assertion, nil
		opt.Give = func(context.Context, oauth.Ask) ([]byte, error) { return []byte(g.WorkloadID), nil }
	case "auth/dpop", "auth/dpop-nonce":
		key, err := newKey()
		if err != nil {
			return nil, err
		}
		c.Proof, opt.Proof = true, key.proof
	}
	if g.Key != "" {
		key, err := readKey(g.Key)
		if err != nil {
			return nil, err
		}
		opt.Give = func(_ context.Context, a oauth.Ask) ([]byte, error) { return key.sign(a.Data) }
	}
	return login.New(c, server, opt)
}

// open is the browser of a person who agrees at once.
func open(ctx context.Context, p oauth.Page) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return errors.Join(err, resp.Body.Close())
}
