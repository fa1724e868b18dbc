package oauth_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/headers"
)

const document = "https://app.example/client.json"

// What the client is known by, of all that it could be: the client of Config, its document, what was registered
// before, what is registered now.
//
// rows: AUTH-007 AUTH-102 AUTH-111 AUTH-114 AUTH-204 AUTH-222
// revisions: all 2026-07-28
func TestIdentity(t *testing.T) {
	for bits := range 32 {
		configured, documented, reads, stored, registers := bits&1 != 0, bits&2 != 0, bits&4 != 0, bits&8 != 0, bits&16 != 0
		var cfg oauth.Config
		var rec oauth.Record
		members := ""
		if configured {
			cfg.Clients = []oauth.Credentials{{Issuer: "https://other.example", ID: "no"}, {Issuer: issuer, ID: "configured"}}
		}
		if documented {
			cfg.Document = document
		}
		if reads {
			members += `,"client_id_metadata_document_supported":true`
		}
		if stored {
			rec.Registrations = []oauth.Registration{{Issuer: "https://other.example", ID: "no", Redirect: callback}, {Issuer: issuer, ID: "stored", Redirect: callback}}
		}
		if !registers {
			members += `,"registration_endpoint":null`
		}
		want := ""
		switch {
		case configured:
			want = "configured"
		case documented && reads:
			want = document
		case stored:
			want = "stored"
		case registers:
			want = "c1"
		}
		x := start(t, cfg, server, usual().with(issuerAt, issuerOf(issuer, members)))
		x.step(x.f.Adopt(x.now, rec)).begin()
		name := fmt.Sprintf("configured %v, document %v %v, stored %v, registers %v", configured, documented, reads, stored, registers)
		if want == "" {
			if f := x.f.Failure(); f == nil || f.Reason != oauth.NoClient || f.Issuer != issuer || x.f.Page().URL != "" {
				t.Errorf("%s: %v, %v", name, x.f.Phase(), f)
			}
			continue
		}
		if x.f.Phase() != oauth.Person || x.query().Get("client_id") != want || slices.Contains(x.made(0), "POST "+issuer+"/register") != (want == "c1") {
			t.Errorf("%s: %v, client_id %q, want %q; %q", name, x.f.Failure(), x.query().Get("client_id"), want, x.made(0))
			continue
		}
		if x.agree(); form(x.last()).Get("client_id") != want {
			t.Errorf("%s: the token is asked for by %q", name, string(x.last().Body))
		}
	}
	for _, no := range []string{`"true"`, "false", "1", "null", "[true]"} {
		x := start(t, oauth.Config{Document: document}, server, usual().with(issuerAt, issuerOf(issuer, `,"client_id_metadata_document_supported":`+no))).begin()
		if x.query().Get("client_id") != "c1" {
			t.Errorf("%s is taken for true: %s", no, x.f.Page().URL)
		}
	}
}

// A registration that is no longer good is made again: its secret expired, or it has another redirect.
//
// rows: AUTH-044
// revisions: all 2026-07-28
func TestStoredRegistrations(t *testing.T) {
	for name, c := range map[string]struct {
		k    oauth.Registration
		want string
	}{
		"good":             {oauth.Registration{Redirect: callback}, "old"},
		"another redirect": {oauth.Registration{Redirect: "http://127.0.0.1:3001/callback"}, "c1"},
		"no redirect":      {oauth.Registration{}, "c1"},
		"expired":          {oauth.Registration{Redirect: callback, Secret: "s", Expires: epoch}, "c1"},
		"expires later":    {oauth.Registration{Redirect: callback, Secret: "s", Expires: epoch.Add(time.Second)}, "old"},
		"bound":            {oauth.Registration{Redirect: callback, Bound: true}, "c1"},
		"another issuer":   {oauth.Registration{Redirect: callback, Issuer: "https://other.example"}, "c1"},
	} {
		c.k.ID, c.k.Issuer = "old", strings.TrimPrefix(issuer+c.k.Issuer, strings.Repeat(issuer, min(1, len(c.k.Issuer))))
		x := start(t, oauth.Config{}, server, usual())
		x.step(x.f.Adopt(x.now, oauth.Record{Registrations: []oauth.Registration{c.k}})).begin()
		if got := x.query(); got.Get("client_id") != c.want || got.Get("redirect_uri") != callback {
			t.Errorf("%s: %s", name, x.f.Page().URL)
		}
		if x.agree(); form(x.last()).Get("redirect_uri") != callback {
			t.Errorf("%s: %q", name, string(x.last().Body))
		}
	}
}

// The body of a registration.
//
// rows: AUTH-007 AUTH-044 AUTH-203 AUTH-214
// revisions: all 2026-07-28
func TestRegistration(t *testing.T) {
	const web = "https://app.example/callback"
	for _, c := range []struct {
		cfg     oauth.Config
		methods string
		want    string
	}{
		{oauth.Config{}, "", `{"client_name":"MCP client","redirect_uris":["` + callback + `"],"response_types":["code"],"grant_types":["authorization_code","refresh_token"],"application_type":"native","token_endpoint_auth_method":"none"}`},
		{oauth.Config{Redirect: "http://[::1]:1/"}, "", `"application_type":"native"`},
		{oauth.Config{Redirect: "http://localhost:1/"}, "", `"redirect_uris":["http://localhost:1/"],`},
		{oauth.Config{Redirect: web}, "", `"application_type":"web"`},
		{oauth.Config{Redirect: web, ApplicationType: "native"}, "", `"application_type":"native"`},
		{oauth.Config{ApplicationType: "web"}, "", `"application_type":"web"`},
		{oauth.Config{NoRefresh: true}, "", `"grant_types":["authorization_code"],`},
		{oauth.Config{Name: "A \"client\" \n"}, "", `"client_name":"A \"client\" \n"`},
		{oauth.Config{}, `["client_secret_post","client_secret_basic"]`, `"token_endpoint_auth_method":"client_secret_basic"`},
		{oauth.Config{}, `["private_key_jwt","client_secret_post"]`, `"token_endpoint_auth_method":"client_secret_post"`},
		{oauth.Config{}, `["tls_client_auth"]`, `"token_endpoint_auth_method":"client_secret_basic"`},
		{oauth.Config{}, `null`, `"token_endpoint_auth_method":"client_secret_basic"`},
	} {
		members := ""
		if c.methods != "" {
			members = `,"token_endpoint_auth_methods_supported":` + c.methods
		}
		x := start(t, c.cfg, server, usual().with(issuerAt, issuerOf(issuer, members))).begin()
		call := x.last()
		body := string(call.Body)
		if call.Method != headers.MethodPost || call.URL != issuer+"/register" || !rawjson.Valid(body) || !strings.Contains(body, c.want) || len(c.want) > 200 && body != c.want {
			t.Errorf("%s %s %s\nwant %s", call.Method, call.URL, body, c.want)
		}
		if !slices.Contains(call.Fields, headers.Field{Name: headers.ContentType, Value: headers.JSON}) || call.MaxBytes != 64<<10 {
			t.Errorf("%v", call)
		}
		if x.query().Get("redirect_uri") != x.cfg.Redirect {
			t.Errorf("%s", x.f.Page().URL)
		}
	}
	for _, bad := range []string{"Web", "mobile", " native"} {
		var e *lifecycle.ConfigError
		if _, err := oauth.New(oauth.Config{Redirect: callback, ApplicationType: bad}, server); !errors.As(err, &e) || e.Field != "ApplicationType" {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// What a registration endpoint answers: a client, or an error that ends the run at once.
//
// rows: AUTH-007 AUTH-213
// revisions: all 2026-07-28
func TestRegistrationAnswers(t *testing.T) {
	refusal := func(status int, body string) oauth.Answer { return oauth.Answer{Status: status, Body: []byte(body)} }
	for name, c := range map[string]struct {
		answer oauth.Answer
		id     string
		code   string
		calls  int
		reason oauth.Reason
	}{
		"201":                       {refusal(201, `{"client_id":"c9"}`), "c9", "", 1, 0},
		"200":                       {refusal(200, `{"client_id":"c9","client_secret":"","client_secret_expires_at":0}`), "c9", "", 1, 0},
		"a method that is not ours": {refusal(201, `{"client_id":"c9","token_endpoint_auth_method":"private_key_jwt"}`), "c9", "", 1, 0},
		"invalid_redirect_uri":      {refusal(400, `{"error":"invalid_redirect_uri","error_description":"no \u001b[2J"}`), "", "invalid_redirect_uri", 1, oauth.RegistrationRefused},
		"invalid_client_metadata":   {refusal(400, `{"error":"invalid_client_metadata"}`), "", "invalid_client_metadata", 1, oauth.RegistrationRefused},
		"401":                       {refusal(401, `{"error":"invalid_token"}`), "", "invalid_token", 1, oauth.RegistrationRefused},
		"403 without body":          {refusal(403, ""), "", "", 1, oauth.RegistrationRefused},
		"404":                       {refusal(404, "not found"), "", "", 1, oauth.RegistrationRefused},
		"html":                      {refusal(200, "<html></html>"), "", "", 1, oauth.RegistrationRefused},
		"no client_id":              {refusal(200, `{}`), "", "", 1, oauth.RegistrationRefused},
		"an empty client_id":        {refusal(201, `{"client_id":""}`), "", "", 1, oauth.RegistrationRefused},
		"client_id of another type": {refusal(201, `{"client_id":7}`), "", "", 1, oauth.RegistrationRefused},
		"control bytes":             {refusal(201, `{"client_id":"c\u0000"}`), "", "", 1, oauth.RegistrationRefused},
		"delete":                    {refusal(201, `{"client_id":"c\u007f"}`), "", "", 1, oauth.RegistrationRefused},
		"202":                       {refusal(202, `{"client_id":"c9"}`), "", "", 1, oauth.RegistrationRefused},
		"too long":                  {refusal(201, `{"client_id":"c9","x":"`+strings.Repeat("x", 64<<10)+`"}`), "", "", 1, oauth.RegistrationRefused},
		"503":                       {refusal(503, ""), "", "", 4, oauth.Unreachable},
	} {
		x := start(t, oauth.Config{}, server, usual().with(issuer+"/register", c.answer)).begin()
		f := x.f.Failure()
		if x.reason() != c.reason || len(x.calls) != 2+c.calls || c.id != "" && x.query().Get("client_id") != c.id {
			t.Errorf("%s: %v, %q", name, f, x.made(0))
		}
		if f != nil && (f.Code != c.code || f.Issuer != issuer || f.URL != issuer+"/register" || !printable(f.Error()) || c.reason == oauth.RegistrationRefused && f.Status != c.answer.Status) {
			t.Errorf("%s: %+v", name, f)
		}
		if c.id != "" {
			if x.agree(); x.f.Phase() != oauth.Ready || form(x.last()).Get("client_id") != c.id {
				t.Errorf("%s: %v, %v", name, x.f.Phase(), x.f.Failure())
			}
		}
	}
}

// How a client authenticates at the token endpoint.
//
// rows: AUTH-114
// revisions: all 2026-07-28
func TestMethods(t *testing.T) {
	const all = `["none","client_secret_basic","client_secret_post"]`
	for _, c := range []struct {
		listed string
		client oauth.Credentials
		want   string
	}{
		{all, oauth.Credentials{}, "none"},
		{`["client_secret_basic"]`, oauth.Credentials{}, "none"},
		{all, oauth.Credentials{Secret: "s/ 1"}, "basic"},
		{`["client_secret_post"]`, oauth.Credentials{Secret: "s/ 1"}, "post"},
		{`["client_secret_post","client_secret_basic"]`, oauth.Credentials{Secret: "s/ 1"}, "basic"},
		{`["tls_client_auth"]`, oauth.Credentials{Secret: "s/ 1"}, "basic"},
		{`null`, oauth.Credentials{Secret: "s/ 1"}, "basic"},
		{all, oauth.Credentials{Secret: "s/ 1", Method: "client_secret_post"}, "post"},
		{`null`, oauth.Credentials{Secret: "s/ 1", Method: "client_secret_post"}, "post"},
		{all, oauth.Credentials{Secret: "s/ 1", Method: "none"}, "none"},
		{`["client_secret_post"]`, oauth.Credentials{Secret: "s/ 1", Method: "client_secret_basic"}, "post"},
		{`["client_secret_basic"]`, oauth.Credentials{Secret: "s/ 1", Method: "client_secret_post"}, "basic"},
	} {
		c.client.ID = "c:ü"
		x := start(t, oauth.Config{Clients: []oauth.Credentials{c.client}}, server, usual().with(issuerAt, issuerOf(issuer, `,"token_endpoint_auth_methods_supported":`+c.listed))).login()
		v, field := form(x.last()), ""
		for _, f := range x.last().Fields {
			if f.Name == headers.Authorization {
				field = f.Value
			}
		}
		basic := "Basic " + base64.StdEncoding.EncodeToString([]byte(url.QueryEscape("c:ü")+":"+url.QueryEscape("s/ 1")))
		got := map[[3]string]string{{"", "c:ü", ""}: "none", {basic, "", ""}: "basic", {"", "c:ü", "s/ 1"}: "post"}[[3]string{field, v.Get("client_id"), v.Get("client_secret")}]
		if got != c.want {
			t.Errorf("%s, %+v: %q, want %q; %q", c.listed, c.client, got, c.want, string(x.last().Body))
		}
	}
}

// What a client that was registered keeps, and how it authenticates: none that was asked for stays none, and a
// method that the client has no key for is none of its own.
//
// rows: AUTH-007
// revisions: all 2026-07-28
func TestRegistered(t *testing.T) {
	for _, c := range []struct {
		listed, answer string
		want           oauth.Registration
		basic          bool
	}{
		{`["none"]`, `{"client_id":"c9","client_secret":"s9","token_endpoint_auth_method":"client_secret_basic"}`, oauth.Registration{Method: "none"}, false},
		{`["client_secret_basic"]`, `{"client_id":"c9","client_secret":"s9"}`, oauth.Registration{Secret: "s9"}, true},
		{`["client_secret_basic"]`, `{"client_id":"c9","client_secret":"s9","client_secret_expires_at":1767272400}`, oauth.Registration{Secret: "s9", Expires: epoch.Add(time.Hour)}, true},
		{`["client_secret_basic"]`, `{"client_id":"c9","client_secret":"s9","client_secret_expires_at":"soon"}`, oauth.Registration{Secret: "s9"}, true},
		{`["client_secret_basic"]`, `{"client_id":"c9","client_secret":"s9","token_endpoint_auth_method":"client_secret_post"}`, oauth.Registration{Secret: "s9", Method: "client_secret_post"}, true},
		{`["client_secret_basic"]`, `{"client_id":"c9","client_secret":"s9","token_endpoint_auth_method":"private_key_jwt"}`, oauth.Registration{Secret: "s9"}, true},
		{`["client_secret_basic"]`, `{"client_id":"c9","client_secret":"s9","token_endpoint_auth_method":"` + strings.Repeat("x", 8<<10) + `"}`, oauth.Registration{Secret: "s9"}, true},
	} {
		x := start(t, oauth.Config{}, server, usual().with(issuerAt, issuerOf(issuer, `,"token_endpoint_auth_methods_supported":`+c.listed), issuer+"/register", c.answer)).login()
		c.want.Issuer, c.want.ID, c.want.Redirect = issuer, "c9", callback
		got := x.f.Record().Registrations
		if len(got) != 1 || !got[0].Expires.Equal(c.want.Expires) {
			t.Fatalf("%s: %+v", c.answer, got)
		}
		if got[0].Expires = c.want.Expires; got[0] != c.want {
			t.Errorf("%s: %+v, want %+v", c.answer, got[0], c.want)
		}
		if basic := slices.ContainsFunc(x.last().Fields, func(f headers.Field) bool { return f.Name == headers.Authorization }); basic != c.basic {
			t.Errorf("%s: %v", c.answer, x.last())
		}
	}
}

// The document of a client: which urls it may be at, and what it says.
//
// rows: AUTH-102 AUTH-112 AUTH-214
// revisions: all 2026-07-28
func TestDocuments(t *testing.T) {
	for at, ok := range map[string]bool{
		document: true, "https://app.example/a/b?x=1": true, "https://app.example:8443/c": true, "https://app.example/c/": true, "https://app.example/.well-known/c": true,
		"http://app.example/c": false, "http://127.0.0.1/c": false, "https://app.example": false, "https://app.example/": false, "https://app.example//": false, "https://app.example?x": false, "https://app.example/c#f": false,
		"https://u@app.example/c": false, "https://app.example/./c": false, "https://app.example/a/../c": false, "https://app.example/a/..": false, "https://app.example/%2e%2e/c": false, "app.example/c": false, "urn:c": false,
	} {
		cfg := oauth.Config{Redirect: callback, Document: at}
		_, err := oauth.New(cfg, server)
		var bad *lifecycle.ConfigError
		if (err == nil) != ok || err != nil && (!errors.As(err, &bad) || bad.Field != "Document") {
			t.Errorf("%q: %v", at, err)
		}
		if text := cfg.Metadata(); (text != "") != ok || ok && (rawjson.Text(text, "client_id") != at || !rawjson.Valid(text)) {
			t.Errorf("%q: %s", at, text)
		}
	}
	cfg := oauth.Config{Redirect: callback, Document: document, Name: "App"}
	for _, c := range []struct {
		set  func(*oauth.Config)
		want string
	}{
		{func(*oauth.Config) {}, `{"client_id":"` + document + `","client_name":"App","redirect_uris":["` + callback + `"],"response_types":["code"],"grant_types":["authorization_code","refresh_token"],"application_type":"native","token_endpoint_auth_method":"none"}`},
		{func(c *oauth.Config) { c.NoRefresh = true }, `{"client_id":"` + document + `","client_name":"App","redirect_uris":["` + callback + `"],"response_types":["code"],"grant_types":["authorization_code"],"application_type":"native","token_endpoint_auth_method":"none"}`},
		{func(c *oauth.Config) { c.Algorithm = "ES256" }, `{"client_id":"` + document + `","client_name":"App","redirect_uris":["` + callback + `"],"response_types":["code"],"grant_types":["authorization_code","refresh_token"],"application_type":"native","token_endpoint_auth_method":"private_key_jwt"}`},
		{func(c *oauth.Config) { c.Grant, c.Redirect = oauth.Assertion, "" }, `{"client_id":"` + document + `","client_name":"App","grant_types":["urn:ietf:params:oauth:grant-type:jwt-bearer","refresh_token"],"application_type":"web","token_endpoint_auth_method":"none"}`},
		{func(c *oauth.Config) { c.Document = "" }, ""},
	} {
		next := cfg
		if c.set(&next); next.Metadata() != c.want {
			t.Errorf("got  %s\nwant %s", next.Metadata(), c.want)
		}
	}
}
