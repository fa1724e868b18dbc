package jwt_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server/guard"
	"github.com/sansmcp/mcp/server/jwt"
	"github.com/sansmcp/mcp/server/nethttp"
)

// What passes and what does not, one change at a time.
//
// rows: AUTH-028
// revisions: all 2026-07-28
func TestVerify(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, r := newKey("1"), key{"2", rsaKey()}
		w := newWeb(k, r)
		v := w.verifier(t)
		every := w.verifier(t, func(c *jwt.Config) { c.Issuers[0].AnyType = true })
		only := w.verifier(t, func(c *jwt.Config) { c.Issuers[0].Algorithms = []string{"RS256"} })
		now := time.Now().Unix()
		const (
			unsigned   = notSigned
			unreadable = "the token cannot be read"
			unknown    = "the token is of no issuer that is known here"
			other      = "not an access token"
			nobody     = "the token names nobody"
			bound      = "the token is bound to a key, and no proof is checked here"
		)
		good := k.sign(claims())
		parts := strings.Split(good, ".")
		mac := hmac.New(sha256.New, []byte(published(k)))
		forged := strings.Split(k.sign(claims(), "alg", "HS256"), ".")
		mac.Write([]byte(forged[0] + "." + forged[1]))
		for _, tt := range []struct {
			v     nethttp.Verifier
			name  string
			token string
			want  string
		}{
			{v, "good", good, "ok"},
			{v, "RS256", r.sign(claims()), "ok"},
			{v, "no kid", k.sign(claims(), "kid", ""), "ok"},
			{only, "an algorithm that is not listed", good, unreadable},
			{only, "one that is", r.sign(claims()), "ok"},
			{v, "none", strings.Join([]string{strings.Split(k.sign(claims(), "alg", "none"), ".")[0], parts[1], ""}, "."), unreadable},
			{v, "none in capitals", k.sign(claims(), "alg", "NONE"), unreadable},
			{v, "HS256", forged[0] + "." + forged[1] + "." + b64(mac.Sum(nil)), unreadable},
			{v, "the key of another kid", k.sign(claims(), "kid", "2"), unsigned},
			{v, "another key", newKey("1").sign(claims()), unsigned},
			{v, "claims changed", parts[0] + "." + b64([]byte(`{"iss":"`+issuer+`","sub":"eve","exp":1e10}`)) + "." + parts[2], unsigned},
			{v, "no signature", parts[0] + "." + parts[1] + ".", unsigned},
			{v, "two parts", parts[0] + "." + parts[1], unknown},
			{v, "opaque", "opaque", unknown},
			{v, "empty", "", unknown},
			{v, "as long as one may be", strings.Repeat("A", 16<<10), unknown},
			{v, "too long", strings.Repeat("A", 16<<10+1), "the token is too long"},
			{v, "the JSON form", `{"payload":"` + parts[1] + `","protected":"` + parts[0] + `","signature":"` + parts[2] + `"}`, unknown},

			{v, "another issuer", k.sign(claims("iss", "https://evil.example")), unknown},
			{v, "a slash more", k.sign(claims("iss", issuer+"/")), unknown},
			{v, "no issuer", k.sign(claims("iss", nil)), unknown},
			{v, "an issuer that is a number", k.sign(claims("iss", 1)), unknown},

			{v, "typ by its full name", k.sign(claims(), "typ", "application/AT+JWT"), "ok"},
			{v, "no scopes, with typ", k.sign(claims("scope", nil)), "ok"},
			{v, "JWT with scopes", k.sign(claims(), "typ", "JWT"), "ok"},
			{v, "no typ, scp", k.sign(claims("scope", nil, "scp", []string{"tools"}), "typ", ""), "ok"},
			{v, "an ID token", k.sign(claims("scope", nil), "typ", "JWT"), other},
			{v, "an ID token with scopes", k.sign(claims("at_hash", "x"), "typ", ""), other},
			{v, "a logout token", k.sign(claims(), "typ", "logout+jwt"), other},
			{v, "claims of other cases", k.sign(claims("scope", nil, "Scope", "tools"), "typ", ""), other},
			{every, "an ID token where any typ is taken", k.sign(claims("scope", nil), "typ", "JWT"), "ok"},

			{v, "expired within leeway", k.sign(claims("exp", now-29)), "ok"},
			{v, "expired", k.sign(claims("exp", now-30)), "the token has expired"},
			{v, "no exp", k.sign(claims("exp", nil)), "the token has no exp"},
			{v, "exp of another case", k.sign(claims("exp", nil, "EXP", now+300)), "the token has no exp"},
			{v, "exp beyond", k.sign(claims("exp", 1e12)), "exp is not a time"},
			{v, "exp before", k.sign(claims("exp", -1)), "exp is not a time"},
			{v, "nbf within leeway", k.sign(claims("nbf", now+30)), "ok"},
			{v, "nbf", k.sign(claims("nbf", now+31)), "the token is not valid yet"},
			{v, "nbf and exp that are none", k.sign(claims("nbf", 0, "exp", 0)), "exp is not a time, nbf is not a time"},
			{v, "no sub", k.sign(claims("sub", nil)), "ok"},
			{v, "no sub, no client", k.sign(claims("sub", nil, "client_id", nil)), nobody},
			{v, "an empty sub", k.sign(claims("sub", "")), nobody},
			{v, "an empty client", k.sign(claims("sub", nil, "client_id", "")), nobody},
			{v, "sub that is a number", k.sign(claims("sub", 1)), unreadable},

			{v, "bound to a proof", k.sign(claims("cnf", map[string]string{"jkt": "x"})), bound},
			{v, "bound to a certificate", k.sign(claims("cnf", map[string]string{"x5t#S256": "x"})), bound},
			{v, "bound to what cannot be read", k.sign(claims("cnf", "x")), bound},
		} {
			if got := outcome(t, tt.v, tt.token); got != tt.want {
				t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
			}
		}
	})
}

// All that a token says comes out, in its forms.
func TestIdentity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKey("1")
		v := newWeb(k).verifier(t)
		whole := guard.Identity{Issuer: issuer, Subject: "ann", Client: "app", Audience: []string{"https://mcp.example/mcp"}, Scopes: []string{"tools", "files"}, Expires: time.Unix(time.Now().Unix()+300, 0)}
		for _, tt := range []struct {
			claims map[string]any
			edit   func(*guard.Identity)
		}{
			{claims(), func(*guard.Identity) {}},
			{claims("aud", []string{"a", "b"}), func(id *guard.Identity) { id.Audience = []string{"a", "b"} }},
			{claims("aud", nil), func(id *guard.Identity) { id.Audience = nil }},
			{claims("aud", "a b"), func(id *guard.Identity) { id.Audience = []string{"a b"} }},
			{claims("client_id", nil, "azp", "other"), func(id *guard.Identity) { id.Client = "other" }},
			{claims("azp", "other"), func(*guard.Identity) {}},
			{claims("scope", []string{"a", "b"}), func(id *guard.Identity) { id.Scopes = []string{"a", "b"} }},
			{claims("scope", nil, "scp", "a b"), func(id *guard.Identity) { id.Scopes = []string{"a", "b"} }},
			{claims("scope", "", "scp", "a b"), func(id *guard.Identity) { id.Scopes = nil }},
			{claims("sub", nil), func(id *guard.Identity) { id.Subject = "" }},
		} {
			want := whole
			tt.edit(&want)
			got, err := v.Verify(context.Background(), k.sign(tt.claims), nil)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := json.Marshal(got.Value)
			plain, _ := json.Marshal(tt.claims)
			if got.Value = nil; string(text) != string(plain) || !cmp.Equal(got, want) {
				t.Errorf("%v: %s\n%s", tt.claims, text, cmp.Diff(want, got))
			}
		}
	})
}

// Each issuer's keys are good for its own tokens alone.
func TestIssuers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, other := newKey("1"), newKey("1")
		w := newWeb(k)
		w.text("https://two.example/t/.well-known/openid-configuration", 200, `{"issuer":"https://two.example/t","jwks_uri":"https://two.example/jwks"}`)
		w.text("https://two.example/jwks", 200, published(other))
		w.text("https://three.example/k", 200, published(key{"3", rsaKey()}))
		v := w.verifier(t, func(c *jwt.Config) {
			c.Issuers = append(c.Issuers, jwt.Issuer{URL: "https://two.example/t"}, jwt.Issuer{URL: "https://three.example", Keys: "https://three.example/k"})
		})
		for i, tt := range []struct{ token, want string }{
			{k.sign(claims()), "ok"},
			{other.sign(claims("iss", "https://two.example/t")), "ok"},
			{key{"3", rsaKey()}.sign(claims("iss", "https://three.example")), "ok"},
			{k.sign(claims("iss", "https://two.example/t")), notSigned},
			{other.sign(claims()), notSigned},
		} {
			if got := outcome(t, v, tt.token); got != tt.want {
				t.Errorf("%d: %s, want %s", i, got, tt.want)
			}
		}
		if n := w.times("https://three.example/.well-known/oauth-authorization-server"); n != 0 {
			t.Errorf("metadata read %d times for an issuer whose keys are configured", n)
		}
	})
}

func TestConfig(t *testing.T) {
	ask := func(endpoint string) *jwt.Introspection { return &jwt.Introspection{Endpoint: endpoint} }
	for _, tt := range []struct {
		config jwt.Config
		field  string // that is wrong, "" for none
	}{
		{jwt.Config{}, "Issuers"},
		{jwt.Config{Issuers: []jwt.Issuer{{URL: "https://a.example"}, {URL: "https://a.example/"}}}, ""},
		{jwt.Config{Issuers: []jwt.Issuer{{URL: "https://a.example"}, {URL: "https://a.example"}}}, "Issuers[1].URL"},
		{jwt.Config{Issuers: []jwt.Issuer{{URL: "https://a.example"}}, Leeway: -2}, "Leeway"},
		{jwt.Config{Issuers: []jwt.Issuer{{}}}, "Issuers[0].URL"},
		{jwt.Config{Issuers: []jwt.Issuer{{URL: "a.example"}}}, "Issuers[0].URL"},
		{jwt.Config{Issuers: []jwt.Issuer{{URL: "http://a.example"}}}, "Issuers[0].URL"},
		{jwt.Config{Issuers: []jwt.Issuer{{URL: "https://a.example?q"}}}, "Issuers[0].URL"},
		{jwt.Config{Issuers: []jwt.Issuer{{URL: "https://u@a.example"}}}, "Issuers[0].URL"},
		{jwt.Config{Issuers: []jwt.Issuer{{URL: "https://a.example#f"}}}, "Issuers[0].URL"},
		{jwt.Config{Issuers: []jwt.Issuer{{URL: "http://127.0.0.1:1", Keys: "http://localhost:2/k?q"}}}, ""},
		{jwt.Config{Issuers: []jwt.Issuer{{URL: "https://a.example", Keys: "http://127.0.0.1/k"}}}, "Issuers[0].Keys"},
		{jwt.Config{Issuers: []jwt.Issuer{{URL: "https://a.example", Keys: "file:///k"}}}, "Issuers[0].Keys"},
		{jwt.Config{Issuers: []jwt.Issuer{{URL: "https://a.example", Algorithms: []string{"ES256", "HS256"}}}}, "Issuers[0].Algorithms"},
		{jwt.Config{Issuers: []jwt.Issuer{{URL: "https://a.example", Algorithms: []string{"none"}}}}, "Issuers[0].Algorithms"},
		{jwt.Config{Issuers: []jwt.Issuer{{URL: "https://a.example", Introspection: ask("http://a.example")}}}, "Issuers[0].Introspection.Endpoint"},
		{jwt.Config{Issuers: []jwt.Issuer{{URL: "https://a.example", Introspection: &jwt.Introspection{Keep: -2}}}}, "Issuers[0].Introspection.Keep"},
		{jwt.Config{Issuers: []jwt.Issuer{{URL: "https://a.example", Introspection: ask("")}, {URL: "https://b.example", Introspection: ask("")}}}, "Issuers[1].Introspection"},
	} {
		_, err := jwt.New(tt.config)
		var bad *lifecycle.ConfigError
		if got := errors.As(err, &bad); got != (tt.field != "") || got && (bad.Field != tt.field || bad.Package != "jwt") {
			t.Errorf("%+v: %v, want %q", tt.config, err, tt.field)
		}
	}
}

// The Client of the Config is left alone, and its redirects are not followed.
func TestClient(t *testing.T) {
	k := newKey("1")
	w := newWeb(k)
	w.text(issuer+"/keys", http.StatusFound, issuer+"/elsewhere")
	w.text(issuer+"/elsewhere", http.StatusOK, published(k))
	c := &http.Client{Transport: w}
	v := w.verifier(t, func(cfg *jwt.Config) { cfg.Client = c })
	if got := outcome(t, v, k.sign(claims())); got != "503" {
		t.Error(got)
	}
	if c.Timeout != 0 || c.CheckRedirect != nil {
		t.Errorf("%+v", c)
	}
}
