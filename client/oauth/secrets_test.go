package oauth_test

import (
	"bytes"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol/headers"
)

// marked are the texts that nobody may see, in all the forms in which they could be shown.
func marked(x *rig) (list []string) {
	run, _ := rawjson.Get(string(x.f.Snapshot(oauth.With)), "run")
	for _, secret := range []string{"SECRET-client", "SECRET-access", "SECRET-refresh", "SECRET-code", "SECRET-subject", "SECRET-grant", "SECRET-idp", "SECRET-challenge", rawjson.Text(run, "verifier"), rawjson.Text(run, "signed")} {
		if secret != "" {
			list = append(list, secret, hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret))), strings.Trim(fmt.Sprint([]byte(secret)), "[]"))
		}
	}
	for _, c := range append(slices.Clone(x.calls), x.f.Call()) {
		for _, f := range c.Fields {
			if f.Name == headers.Authorization {
				list = append(list, strings.TrimPrefix(f.Value, "Basic "))
			}
		}
	}
	return list
}

// shown returns all that is shown of a value.
func shown(v any) string {
	var b strings.Builder
	for _, verb := range "vsqxXdtTbocUeEfFgGz" {
		for _, flags := range []string{"%", "%+", "%#", "%20", "% "} {
			fmt.Fprintf(&b, flags+string(verb)+"\n", v)
		}
	}
	fmt.Fprintln(&b, v, []any{v}, map[string]any{"k": v}, struct{ V any }{v}, fmt.Errorf("%v", v)) //nolint:err113 // it is what is looked at
	if text, err := json.Marshal(v); err == nil {
		b.Write(text)
	}
	for _, h := range []slog.Handler{slog.NewTextHandler(&b, nil), slog.NewJSONHandler(&b, nil)} {
		slog.New(h).Info("m", "v", v, slog.Any("list", []any{v}), slog.Group("g", "v", v))
	}
	return b.String()
}

// gobbed returns a value as gob, "" if it has none.
func gobbed(v any) string {
	var b bytes.Buffer
	if gob.NewEncoder(&b).Encode(v) != nil {
		return ""
	}
	return b.String()
}

// No secret is shown by whatever package formats, logs or encodes a value; none is in a Snapshot without them, in a
// Failure, in a url, or in a text of Flow.
//
// rows: SEC-111
// revisions: all 2026-07-28
func TestSecrets(t *testing.T) {
	client := oauth.Credentials{ID: "c", Secret: "SECRET-client"}
	machine := oauth.Config{Grant: oauth.Enterprise, Clients: []oauth.Credentials{client}, Provider: oauth.Provider{TokenURL: idpToken, Client: oauth.Credentials{ID: "p", Secret: "SECRET-idp"}}}
	person := oauth.Config{Redirect: callback, Clients: []oauth.Credentials{client}}
	w := usual().with(issuer+"/register", `{"client_id":"c1","client_secret":"SECRET-client"}`, issuerAt, strings.Replace(issuerOf(issuer, ""), `"none",`, "", 1),
		issuer+"/token", `{"access_token":"SECRET-access","token_type":"Bearer","expires_in":60,"refresh_token":"SECRET-refresh"}`, idpToken, strings.Replace(idJAG, "jag", "SECRET-grant", 1))
	refused := w.with(issuer+"/token", told(400, `{"error":"invalid_grant","error_description":"no"}`))
	looked := 0
	for name, x := range map[string]*rig{
		"person": start(t, person, server, w), "registered": start(t, oauth.Config{}, server, w), "machine": start(t, machine, server, w), "refused": start(t, machine, server, refused), "code refused": start(t, person, server, refused),
		"signer": start(t, oauth.Config{Grant: oauth.ClientCredentials, Clients: []oauth.Credentials{{ID: "c", Method: "private_key_jwt"}}, Algorithm: "ES256"}, server, w),
	} {
		look := func(what string, v any) {
			t.Helper()
			looked++
			for _, text := range []string{shown(v), gobbed(v)} {
				for _, secret := range marked(x) {
					if at := strings.Index(text, secret); at >= 0 && !(text == gobbed(v) && what == "call") {
						t.Fatalf("%s, %v: %s shows %q: %.200q", name, x.f.Phase(), what, secret, text[max(0, at-50):])
					}
				}
			}
		}
		all := func() {
			t.Helper()
			look("flow", x.f)
			look("pointer", &x.f)
			look("record", x.f.Record())
			look("token", x.f.Record().Token)
			look("registrations", x.f.Record().Registrations)
			look("config", x.cfg)
			look("client", client)
			look("call", x.f.Call())
			look("call", map[string]oauth.HTTPRequest{"k": x.f.Call()})
			look("page", x.f.Page())
			look("ask", x.f.Ask().Kind)
			if x.f.Failure() != nil {
				look("failure", x.f.Failure())
			}
			look("need", oauth.Need{Status: 401, Used: "SECRET-access"})
			look("snapshot", string(x.f.Snapshot(oauth.Without)))
			look("url", x.f.Call().URL)
		}
		all()
		x.step(x.f.Want(x.now, x.random(), oauth.Need{Status: 401, Used: "SECRET-access"}))
		for renewed := false; x.f.Phase() != oauth.Failed && !(renewed && x.f.Phase() == oauth.Ready); {
			switch all(); x.f.Phase() {
			case oauth.Requesting:
				x.answer()
			case oauth.Person:
				x.step(x.f.Returned(x.now, x.random(), "code=SECRET-code&state="+x.f.Page().State))
			case oauth.Asking:
				x.step(x.f.Given(x.now, x.random(), []byte("SECRET-subject")))
			case oauth.Ready: // then the token is renewed, and refused
				x.now = x.f.Record().Token.Renew
				renewed = true
				x.step(x.f.Want(x.now, x.random(), oauth.Need{}))
			case oauth.Failed, oauth.Idle, oauth.Waiting:
				t.Fatalf("%s: %v", name, x.f.Phase())
			}
		}
		all()
	}
	if looked < 500 {
		t.Errorf("%d values", looked)
	}
	// What has no secret says so.
	if got := strconv.Quote(fmt.Sprintf("%v %+v %s %q", oauth.Secret(""), oauth.Secret("x"), oauth.Secret("x"), oauth.Secret("x"))); got != `" … … …"` {
		t.Errorf("%s", got)
	}
	if fmt.Sprint(oauth.Secret("x")) != "…" || fmt.Sprint(oauth.Secret("")) != "" || string(oauth.Secret("x")) != "x" {
		t.Error("String")
	}
	call := oauth.HTTPRequest{Method: "GET", URL: "https://h.example", Fields: []headers.Field{{Name: "A", Value: "SECRET"}}}
	if text, err := json.Marshal(map[string]any{"c": call, "p": &call}); err != nil || string(text) != `{"c":"GET https://h.example","p":"GET https://h.example"}` || fmt.Sprintf("%#v", call) != "GET https://h.example" || fmt.Sprint(oauth.HTTPRequest{}) != "" {
		t.Errorf("%s, %v; %#v", text, err, call)
	}
	f, err := oauth.New(person, server)
	if got := fmt.Sprintf("%+v|%s|%v", f, &f, oauth.Flow{}); err != nil || got != server+" idle|"+server+" idle|idle" {
		t.Errorf("%s", got)
	}
}
