package oauth_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/lifecycle"
)

// Which settings go together.
//
// rows: AUTH-114
// revisions: all 2026-07-28
func TestConfig(t *testing.T) {
	k := func(list ...oauth.Credentials) oauth.Config { return oauth.Config{Redirect: callback, Clients: list} }
	provider := oauth.Provider{TokenURL: idpToken, Client: oauth.Credentials{ID: "p"}}
	for _, c := range []struct {
		cfg   oauth.Config
		field string // that is wrong, "" for none
	}{
		{k(), ""},
		{k(oauth.Credentials{ID: "c"}), ""},
		{k(oauth.Credentials{Issuer: issuer, ID: "c"}, oauth.Credentials{Issuer: "https://b.example", ID: "c"}), ""},
		{k(oauth.Credentials{Issuer: issuer, ID: "c"}, oauth.Credentials{Issuer: issuer, ID: "d"}), "Clients"},
		{k(oauth.Credentials{ID: "c"}, oauth.Credentials{Issuer: issuer, ID: "d"}), "Clients"},
		{k(oauth.Credentials{Issuer: issuer, ID: "c"}, oauth.Credentials{ID: "d"}), "Clients"},
		{k(oauth.Credentials{}), "Client.ID"},
		{k(oauth.Credentials{ID: "c", Method: "tls_client_auth"}), "Client.Method"},
		{k(oauth.Credentials{ID: "c", Method: "none"}), ""},
		{k(oauth.Credentials{ID: "c", Method: "private_key_jwt"}), "Algorithm"},
		{k(oauth.Credentials{ID: "c", Method: "client_secret_basic"}), "Client.Secret"},
		{k(oauth.Credentials{ID: "c", Method: "client_secret_post"}), "Client.Secret"},
		{k(oauth.Credentials{ID: "c", Method: "client_secret_post", Secret: "s"}), ""},
		{oauth.Config{Grant: oauth.ClientCredentials}, "Clients"},
		{oauth.Config{Grant: oauth.ClientCredentials, Clients: []oauth.Credentials{{ID: "c"}}}, ""},
		{oauth.Config{Grant: oauth.Enterprise, Provider: provider}, ""},
		{oauth.Config{Grant: oauth.Enterprise}, "Client.ID"},
		{oauth.Config{Grant: oauth.Enterprise, Provider: oauth.Provider{Client: provider.Client}}, "Provider.TokenURL"},
		{oauth.Config{Grant: oauth.Enterprise, Provider: oauth.Provider{TokenURL: "idp.example", Client: provider.Client}}, "Provider.TokenURL"},
		{oauth.Config{Grant: oauth.Exchange, Redirect: "ftp://x"}, "Redirect"},
		{oauth.Config{Grant: 5}, "Grant"},
		{oauth.Config{Redirect: callback, Patience: -time.Second}, "Patience"},
		{oauth.Config{Redirect: callback, Person: -time.Second}, "Person"},
		{oauth.Config{Redirect: callback, Patience: lifecycle.NoTimeout}, "Patience"},
	} {
		_, err := oauth.New(c.cfg, server)
		var bad *lifecycle.ConfigError
		if c.field == "" && err != nil || c.field != "" && (!errors.As(err, &bad) || bad.Field != c.field || bad.Package != "oauth" || !strings.HasPrefix(bad.Why, "want ") || strings.HasPrefix(bad.Value, "want ")) {
			t.Errorf("%+v: %v, want %q", c.cfg, err, c.field)
		}
	}
	// What the caller changes afterwards changes nothing.
	cfg := oauth.Config{Redirect: callback, Clients: []oauth.Credentials{{ID: "c"}}, Scopes: []string{"a"}, Issuers: []string{issuer}, Trusted: []string{"h"}}
	x := start(t, cfg, server, usual().with(resourceAt, resourceOf(server, `,"scopes_supported":["a","changed"]`, issuer), issuerAt, issuerOf(issuer, `,"authorization_endpoint":"http://h/authorize"`)))
	f := x.f
	cfg.Clients[0].ID, cfg.Scopes[0], cfg.Issuers[0], cfg.Trusted[0] = "changed", "changed", "changed", "changed"
	for f = f.Want(epoch, oauth.Random{}, oauth.Need{Status: 401}); f.Phase() == oauth.Requesting; {
		f = f.Respond(epoch, oauth.Random{}, oauth.Answer{Status: 200, Body: []byte(x.web[f.Call().URL].(string))})
	}
	if at := f.Page().URL; !strings.HasPrefix(at, "http://h/authorize?") || !strings.Contains(at, "client_id=c&") || !strings.HasSuffix(at, "&scope=a") {
		t.Errorf("%v, %s", f.Failure(), at)
	}
}

// The zero Flow does nothing, and phases and reasons have names.
func TestZero(t *testing.T) {
	var f oauth.Flow
	f = f.Want(epoch, oauth.Random{}, oauth.Need{Status: 401}).Respond(epoch, oauth.Random{}, oauth.Answer{}).Unanswered(epoch, oauth.Random{}).Returned(epoch, oauth.Random{}, "").Given(epoch, oauth.Random{}, nil).
		Tick(epoch, oauth.Random{}).Cancel(epoch).Adopt(epoch, oauth.Record{Token: oauth.Token{Access: "t"}})
	if _, ok := f.Token(epoch); ok || f.Phase() != oauth.Idle || f.Resource() != "" || f.Call().URL != "" || f.Page().URL != "" {
		t.Errorf("%v", f)
	}
	names := map[string]bool{}
	for p := oauth.Idle; p <= oauth.Failed; p++ {
		names[p.String()] = true
	}
	for r := oauth.Forbidden; r <= oauth.TooMuch; r++ {
		names[r.String()] = true
		if got := (&oauth.Failure{Reason: r, Issuer: "i", URL: "u", Status: 400, Code: "c", Text: `"t"`}).Error(); got != "oauth: "+r.String()+`, issuer i, url u, error c, status 400: "t"` {
			t.Errorf("%s", got)
		}
	}
	if len(names) != 7+15 || (oauth.Failed+1).String() != "phase(?)" || (oauth.TooMuch+1).String() != "reason(?)" {
		t.Errorf("%v", names)
	}
	// A server whose metadata would be at a url that is too long has none.
	x := start(t, oauth.Config{}, "https://mcp.example/"+strings.Repeat("x", 8<<10-40), nil).begin()
	if x.reason() != oauth.OutOfReach || len(x.calls) != 0 {
		t.Errorf("%v", x.f.Failure())
	}
}
