package authz_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/authz"
)

const (
	mcp      = "https://mcp.example/a/mcp"
	issuer   = "https://as.example/t"
	redirect = "http://127.0.0.1:1234/back"
	verifier = "0123456789012345678901234567890123456789abc"
)

// naive is a client without any checks.
type naive struct {
	*testing.T
	w   *authz.World
	now time.Time
}

func begin(t *testing.T) *naive {
	return &naive{t, &authz.World{
		Resources: []*authz.Resource{{URL: mcp, Issuers: []string{issuer}, Forms: authz.InChallenge | authz.AtRoot}},
		Issuers:   []*authz.Issuer{{ID: issuer, Forms: authz.OAuth | authz.Appended, DCR: true}},
	}, time.Unix(1e9, 0)}
}

// do makes a request. The form is the body if there is one.
func (n *naive) do(method, at, auth string, form url.Values) (authz.Response, map[string]any) {
	r := authz.Request{Method: method, URL: at, Header: map[string]string{"Authorization": auth}, Body: form.Encode()}
	out := n.w.Serve(n.now, r)
	var m map[string]any
	_ = json.Unmarshal([]byte(out.Body), &m)
	return out, m
}

func (n *naive) want(status int, out authz.Response) {
	n.Helper()
	if out.Status != status {
		n.Errorf("%d %v %s, want %d", out.Status, out.Header, out.Body, status)
	}
}

// register returns the id of a client without a secret.
func (n *naive) register() string {
	out := n.w.Serve(n.now, authz.Request{Method: "POST", URL: issuer + "/register", Body: `{"redirect_uris":["` + redirect + `"],"token_endpoint_auth_method":"none"}`})
	n.want(201, out)
	var m map[string]any
	if err := json.Unmarshal([]byte(out.Body), &m); err != nil {
		n.Fatal(err)
	}
	return m["client_id"].(string)
}

func (n *naive) page(client string, change ...string) url.Values {
	q := url.Values{
		"response_type": {"code"}, "client_id": {client}, "redirect_uri": {redirect}, "state": {"s"}, "scope": {"read write"},
		"resource": {mcp}, "code_challenge_method": {"S256"}, "code_challenge": {authz.S256(verifier)},
	}
	for i := 0; i < len(change); i += 2 {
		q.Set(change[i], change[i+1])
	}
	back, _ := url.Parse(n.w.Approve(n.now, issuer+"/authorize?"+q.Encode()))
	return back.Query()
}

func (n *naive) redeem(client, code string, change ...string) (authz.Response, map[string]any) {
	form := url.Values{
		"grant_type": {"authorization_code"}, "client_id": {client}, "code": {code}, "redirect_uri": {redirect},
		"code_verifier": {verifier}, "resource": {mcp},
	}
	for i := 0; i < len(change); i += 2 {
		form.Set(change[i], change[i+1])
	}
	return n.do("POST", issuer+"/token", "", form)
}

func (n *naive) refresh(client string, token any) (authz.Response, map[string]any) {
	return n.do("POST", issuer+"/token", "", url.Values{"grant_type": {"refresh_token"}, "client_id": {client}, "refresh_token": {token.(string)}, "resource": {mcp}})
}

// A login by code: metadata in each form that is served, and in no other; the code works once; reusing an old
// refresh token ends the whole login.
func TestLogin(t *testing.T) {
	n := begin(t)
	out, _ := n.do("POST", mcp, "", nil)
	n.want(401, out)
	if got := out.Header["Www-Authenticate"]; got != `Bearer resource_metadata="https://mcp.example/described/a/mcp"` {
		t.Error(got)
	}
	for at, status := range map[string]int{
		"https://mcp.example/described/a/mcp": 200, "https://mcp.example/.well-known/oauth-protected-resource": 200,
		"https://mcp.example/.well-known/oauth-protected-resource/a/mcp": 404, "https://as.example/.well-known/oauth-authorization-server/t": 200,
		"https://as.example/.well-known/openid-configuration/t": 404, "https://as.example/t/.well-known/openid-configuration": 200,
		"https://as.example/.well-known/oauth-authorization-server": 404, issuer + "/token": 405,
	} {
		if out, _ := n.do("GET", at, "", nil); out.Status != status {
			t.Errorf("%s: %d, want %d", at, out.Status, status)
		}
	}
	id := n.register()
	for _, bad := range [][]string{{"code_challenge_method", "plain"}, {"code_challenge", ""}, {"resource", ""}, {"redirect_uri", redirect + "x"}, {"client_id", "x"}} {
		if back := n.page(id, bad...); back.Get("code") != "" && bad[0] != "resource" {
			t.Errorf("%v: %v", bad, back)
		}
	}
	back := n.page(id)
	if back.Get("state") != "s" || back.Get("iss") != issuer {
		t.Error(back)
	}
	for _, bad := range [][]string{{"code_verifier", verifier + "x"}, {"client_id", "x"}, {"redirect_uri", ""}, {"resource", mcp + "/"}, {"code", "x"}} {
		if out, _ := n.redeem(id, back.Get("code"), bad...); out.Status < 400 {
			t.Errorf("%v: %v", bad, out)
		}
	}
	out, got := n.redeem(id, back.Get("code"))
	n.want(200, out)
	out, _ = n.do("POST", mcp, "Bearer "+got["access_token"].(string), nil)
	n.want(200, out)
	if bad := n.w.Misplaced(0); bad != nil {
		t.Error(bad)
	}
	out, fresh := n.refresh(id, got["refresh_token"])
	n.want(200, out)
	out, _ = n.refresh(id, got["refresh_token"])
	n.want(400, out)
	out, _ = n.refresh(id, fresh["refresh_token"])
	n.want(400, out)
	out, _ = n.do("POST", mcp, "Bearer "+fresh["access_token"].(string), nil)
	n.want(401, out)

	code := n.page(id).Get("code")
	out, got = n.redeem(id, code)
	n.want(200, out)
	n.w.Resources[0].Need = []string{"read", "admin"}
	out, _ = n.do("POST", mcp, "Bearer "+got["access_token"].(string), nil)
	if n.want(403, out); !strings.Contains(out.Header["Www-Authenticate"], `error="insufficient_scope", resource_metadata="https://mcp.example/described/a/mcp", scope="read admin"`) {
		t.Error(out)
	}
	out, _ = n.redeem(id, code)
	n.want(400, out)
	out, _ = n.do("POST", mcp, "Bearer "+got["access_token"].(string), nil)
	n.want(401, out)
}

// Secrets that reach a wrong origin, or are in a url, are reported.
func TestMisplaced(t *testing.T) {
	n := begin(t)
	id := n.register()
	code := n.page(id).Get("code")
	_, got := n.redeem(id, code)
	token := got["access_token"].(string)
	for what, send := range map[string]func(){
		"access":   func() { n.do("POST", authz.Elsewhere+"/x", "Bearer "+token, nil) },
		"a url":    func() { n.do("POST", mcp+"?access_token="+token, "", nil) },
		"refresh":  func() { n.do("POST", mcp, "", url.Values{"refresh_token": {got["refresh_token"].(string)}}) },
		"code":     func() { n.do("POST", authz.Elsewhere, "", url.Values{"code": {code}}) },
		"verifier": func() { n.do("POST", authz.Elsewhere, "", url.Values{"code_verifier": {verifier}}) },
		"client":   func() { n.do("POST", authz.Elsewhere, "Basic "+base64.StdEncoding.EncodeToString([]byte(id+":")), nil) },
	} {
		from := len(n.w.Seen)
		if send(); len(n.w.Misplaced(from)) != 1 {
			t.Errorf("%s: %v", what, n.w.Misplaced(from))
		}
	}
}

// Grants without a person: a secret in either way, a signed assertion, a token exchange with its
// result, and introspection.
func TestMachines(t *testing.T) {
	n := begin(t)
	public, key, _ := ed25519.GenerateKey(strings.NewReader(strings.Repeat("x", 64)))
	i := n.w.Issuers[0]
	i.Clients = map[string]*authz.Client{
		"basic": {ID: "basic", Secret: "a:b c", Method: "client_secret_basic"}, "post": {ID: "post", Secret: "p", Method: "client_secret_post"},
		"jwt": {ID: "jwt", Method: "private_key_jwt", Verify: func(signed, sig string) bool { return ed25519.Verify(public, []byte(signed), []byte(sig)) }},
	}
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("basic:a%3Ab+c"))
	sign := func(claims string) string {
		text := "e30." + base64.RawURLEncoding.EncodeToString([]byte(claims))
		return text + "." + base64.RawURLEncoding.EncodeToString(ed25519.Sign(key, []byte(text)))
	}
	claims := fmt.Sprintf(`{"iss":"jwt","sub":"jwt","aud":%q,"jti":"1","exp":%d}`, issuer, n.now.Unix()+60)
	n.w.Assertions = map[string]string{"workload": issuer, "person": issuer}
	const jag = "urn:ietf:params:oauth:token-type:id-jag"
	exchange := url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:token-exchange"}, "subject_token": {"person"}, "subject_token_type": {"x"}, "requested_token_type": {jag}, "audience": {issuer}, "resource": {mcp}}
	_, got := n.do("POST", issuer+"/token", basic, exchange)
	if got["issued_token_type"] != jag || got["token_type"] != "N_A" {
		t.Fatal(got)
	}
	own, assertion := url.Values{"grant_type": {"client_credentials"}, "resource": {mcp}}, sign(claims)
	with := func(form url.Values, more ...string) url.Values {
		out := url.Values{}
		for name, v := range form {
			out[name] = v
		}
		for i := 0; i < len(more); i += 2 {
			out.Set(more[i], more[i+1])
		}
		return out
	}
	by := []string{"client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer", "client_assertion"}
	bearer := url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "resource": {mcp}}
	for _, c := range []struct {
		auth   string
		form   url.Values
		status int
	}{
		{basic, own, 200},
		{"Basic " + base64.StdEncoding.EncodeToString([]byte("basic:a:b c")), own, 200},
		{"Basic !", own, 401},
		{"", own, 401},
		{"", with(own, "client_id", "post", "client_secret", "p"), 200},
		{"", with(own, "client_id", "post", "client_secret", "q"), 401},
		{basic, with(own, "client_id", "basic", "client_secret", "a:b c"), 401},
		{"", with(own, append(by, assertion)...), 200},
		{"", with(own, append(by, assertion)...), 401}, // its jti was used
		{"", with(own, append(by, sign(strings.Replace(claims, issuer, mcp, 1)))...), 401},
		{"", with(own, append(by, assertion+"x")...), 401},
		{basic, with(bearer, "assertion", got["access_token"].(string)), 200},
		{basic, with(bearer, "assertion", got["access_token"].(string)), 400},
		{"", with(bearer, "assertion", "workload"), 200},
		{"", with(bearer, "assertion", "forged"), 400},
		{basic, with(exchange, "requested_token_type", "urn:ietf:params:oauth:token-type:access_token"), 200},
	} {
		out, m := n.do("POST", issuer+"/token", c.auth, c.form)
		if out.Status != c.status {
			t.Errorf("%s %v: %d %s", c.auth, c.form, out.Status, out.Body)
		}
		if token, ok := m["access_token"].(string); ok && n.w.Issued[len(n.w.Issued)-1].Value == token {
			out, _ := n.do("POST", mcp, "Bearer "+token, nil)
			n.want(200, out)
			_, about := n.do("POST", issuer+"/introspect", basic, url.Values{"token": {token}})
			n.do("POST", issuer+"/revoke", basic, url.Values{"token": {token}})
			_, after := n.do("POST", issuer+"/introspect", basic, url.Values{"token": {token}})
			if about["active"] != true || about["aud"] != mcp || after["active"] != false {
				t.Error(about, after)
			}
		}
	}
}

// Lies change answers, at their time and place.
func TestLies(t *testing.T) {
	n := begin(t)
	at := "https://as.example/.well-known/oauth-authorization-server/t"
	slash := func(v any) any { return v.(string) + "/" }
	n.w.Lies = []*authz.Lie{
		{At: authz.Metadata, Skip: 1, Times: 1, Answer: authz.Response{Status: 503}},
		{At: authz.Metadata, Skip: 2, Change: map[string]any{"issuer": slash, "token_endpoint": nil, "x": 1}},
		{At: authz.Metadata, Host: mcp, Change: map[string]any{"issuer": nil}},
	}
	var got []string
	for range 4 {
		out, m := n.do("GET", at, "", nil)
		got = append(got, fmt.Sprint(out.Status, m["issuer"], m["x"], m["token_endpoint"] == nil))
	}
	want := []string{fmt.Sprint(200, issuer, nil, false), fmt.Sprint(503, nil, nil, true), fmt.Sprint(200, issuer, nil, false), fmt.Sprint(200, issuer+"/", 1, true)}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q, want %q", got, want)
	}
	n.w.Lies = []*authz.Lie{{At: authz.Register, Late: true}}
	out := n.w.Serve(n.now, authz.Request{Method: "POST", URL: issuer + "/register", Body: "{}"})
	if out.Status != 0 || len(n.w.Issuers[0].Clients) != 1 {
		t.Error("a lost answer", out, n.w.Issuers[0].Clients)
	}
}

// Over HTTP it is the same World, and valid tokens reach the next handler.
func TestHandler(t *testing.T) {
	n := begin(t)
	h := &authz.Handler{World: n.w, Now: func() time.Time { return n.now }, Next: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(rw, r.Body)
	})}
	s := httptest.NewServer(h)
	defer s.Close()
	n.w.Resources[0].URL = s.URL + "/mcp"
	n.w.Lies = []*authz.Lie{{At: authz.Described, Times: 1}}
	token := n.w.Issue(n.now, authz.Token{Kind: "access", Issuer: issuer, Resource: s.URL + "/mcp"})
	for _, c := range []struct {
		auth, want string
		status     int
	}{{"", "", 401}, {"Bearer " + token.Value, "hello", 200}} {
		r, _ := http.NewRequest(http.MethodPost, s.URL+"/mcp", strings.NewReader("hello"))
		r.Header.Set("Authorization", c.auth)
		res, err := s.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if res.StatusCode != c.status || string(body) != c.want {
			t.Error(res.Status, string(body))
		}
	}
	if _, err := s.Client().Post(s.URL+"/described/mcp", "", nil); err == nil {
		t.Error("an answer, want none")
	}
	h.Lock()
	defer h.Unlock()
	if len(n.w.Seen) < 3 || n.w.Seen[1].URL != s.URL+"/mcp" {
		t.Error(n.w.Seen)
	}
}
