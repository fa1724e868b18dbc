package nethttp_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/guard"
	"github.com/sansmcp/mcp/server/nethttp"
)

const pinged = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

const resource = "https://mcp.example/mcp"

// verifier is a Verifier that is a function of the token.
type verifier func(token string) (guard.Identity, error)

func (v verifier) Verify(_ context.Context, token string, _ *http.Request) (guard.Identity, error) {
	return v(token)
}

// ada is what each token says whose text has all its scopes, with points between.
func ada(token string) (guard.Identity, error) {
	return guard.Identity{Issuer: "https://a.example", Subject: "ada", Audience: []string{resource}, Scopes: strings.Split(token, "."), Expires: time.Now().Add(time.Minute)}, nil
}

func verified(t testing.TB, v nethttp.Verifier, p guard.Policy) func(*http.Request) (nethttp.Principal, error) {
	t.Helper()
	if p.Audience == nil {
		p.Audience = []string{resource}
	}
	f, err := nethttp.Verified(v, p)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// What Verified cannot work with is an error.
func TestVerifiedSettings(t *testing.T) {
	if f, err := nethttp.Verified(nil, guard.Policy{AnyAudience: true}); f != nil || err == nil {
		t.Errorf("no Verifier: %v", err)
	}
	if f, err := nethttp.Verified(verifier(ada), guard.Policy{}); f != nil || !errors.Is(err, lifecycle.ErrConfig) {
		t.Errorf("no Audience: %v", err)
	}
}

// The error of a Verifier says what a client is told: nothing of a plain one, and what an *AuthError
// says of another, with the scopes that are needed.
//
// rows: AUTH-030 AUTH-035
func TestVerifierErrors(t *testing.T) {
	var fault error
	_, s := start(t, newKit(), nethttp.Options{
		Recover:      true,
		Authenticate: verified(t, verifier(func(string) (guard.Identity, error) { return guard.Identity{}, fault }), guard.Policy{Base: []string{"mcp"}}),
	})
	p := newPeer(t, s.URL)
	for _, tt := range []struct {
		fault  error
		status int
		want   headers.Challenge
	}{
		{errors.New("secret"), 401, headers.Challenge{Error: "invalid_token", Scope: "mcp"}},
		{(*nethttp.AuthError)(nil), 401, headers.Challenge{Error: "invalid_token", Scope: "mcp"}},
		{&nethttp.AuthError{}, 401, headers.Challenge{Error: "invalid_token", Scope: "mcp"}},
		{&nethttp.AuthError{Description: "it was revoked", Scope: "other"}, 401, headers.Challenge{Error: "invalid_token", ErrorDescription: "it was revoked", Scope: "other"}},
		{&nethttp.AuthError{Code: "insufficient_scope"}, 403, headers.Challenge{Error: "insufficient_scope", Scope: "mcp"}},
		{&nethttp.AuthError{Status: 503, Err: errors.New("secret")}, 503, headers.Challenge{}},
	} {
		fault = tt.fault
		a := p.post(pinged, bearer("t")).want(tt.status)
		if got, ok := headers.ParseChallenge(a.head.Values("WWW-Authenticate")); ok != (tt.status != 503) || got != tt.want || strings.Contains(a.body, "secret") {
			t.Errorf("%v: %+v %s", tt.fault, got, a.body)
		}
	}
	two := func(r *http.Request) { r.Header["Authorization"] = []string{"Bearer a", "Bearer b"} }
	if a := p.post(pinged, two).want(400); !strings.Contains(a.head.Get("WWW-Authenticate"), "invalid_request") {
		t.Error(a.head)
	}
}

// A function of the application that panics lets nobody in.
func TestVerifierPanics(t *testing.T) {
	bad := verifier(func(string) (guard.Identity, error) { panic("oh") })
	tool := guard.Policy{Tool: func(string, protocol.Raw) []string { panic("oh") }}
	for name, f := range map[string]func(*http.Request) (nethttp.Principal, error){"verifier": verified(t, bad, guard.Policy{}), "policy": verified(t, verifier(ada), tool)} {
		k := newKit()
		h, s := start(t, k, nethttp.Options{Recover: true, Authenticate: f})
		p := newPeer(t, s.URL)
		p.header.Set("Authorization", "Bearer mcp")
		if name == "policy" {
			p.open("2025-11-25")
		}
		p.call("gate", `{}`).want(500)
		if h.Status().Running != 0 || len(k.begun) != 0 {
			t.Errorf("%s: it runs", name)
		}
	}
}

// A token counts until Leeway after it has expired, on each method.
//
// rows: AUTH-028 AUTH-031
func TestLeeway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		until := time.Now().Add(time.Hour)
		v := verifier(func(token string) (guard.Identity, error) {
			id, err := ada(token)
			id.Expires = until
			return id, err
		})
		b := newBubble(t, nethttp.Options{IdleTimeout: 2 * time.Hour, Authenticate: verified(t, v, guard.Policy{Leeway: time.Minute})})
		defer b.close()
		id := b.open("2025-11-25", bearer("mcp"))
		ask := func(method, body string, status int) {
			t.Helper()
			r := b.serve(method, id, "2025-11-25", body, nil, bearer("mcp"))
			synctest.Wait()
			if r.status() != status {
				t.Errorf("%s after %v: %d %s", method, time.Since(until), r.status(), r.text())
			}
			r.cut()
			synctest.Wait()
		}
		time.Sleep(time.Hour + time.Minute - 1)
		ask("POST", pinged, 200)
		ask("GET", "", 200)
		time.Sleep(time.Nanosecond)
		ask("POST", pinged, 401)
		ask("GET", "", 401)
		ask("DELETE", "", 401)
	})
}

// A function gets to know who called, by what was found out, and nothing that anybody could send on:
// the token is in no field of it, exported or not.
//
// rows: AUTH-034 AUTH-219
func TestNobodyHasTheToken(t *testing.T) {
	const token = "tools.of-a-secret-token"
	var h server.Handlers
	var calls atomic.Int64
	h.Tool(protocol.Tool{Name: "t", InputSchema: object}, func(ctx context.Context, _ server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
		calls.Add(1)
		who, ok := nethttp.PrincipalFrom(ctx)
		id, is := who.Value.(guard.Identity)
		if !ok || !is || who.ID != "https://a.example ada" || id.Subject != "ada" || !who.Expires.Equal(id.Expires.Add(30*time.Second)) {
			t.Errorf("%+v", who)
		}
		if holds(reflect.ValueOf(who), token) || !holds(reflect.ValueOf(who), "tools") {
			t.Errorf("%+v", who)
		}
		return protocol.TextResult("t"), nil
	})
	store := nethttp.NewMemory()
	verify := verifier(func(got string) (guard.Identity, error) {
		id, err := ada("tools")
		if got != token {
			t.Errorf("verifies %q", got)
		}
		return id, err
	})
	cfg := serverConfig
	cfg.Revisions = protocol.AllRevisions()
	handler, err := nethttp.NewHandler(cfg, &h, nethttp.Options{Store: store, Authenticate: verified(t, verify, guard.Policy{})})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(handler)
	defer s.Close()
	defer handler.Close()
	for _, r := range protocol.AllRevisions() {
		if r.Stateless() {
			body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t",` + modernMeta + `}}`
			if status, _, text := modernPost(t, s.URL, "tools/call", "t", body, func(h http.Header) { h.Set("Authorization", "Bearer "+token) }); status != 200 || !strings.Contains(text, `"text":"t"`) {
				t.Error(r, status, text)
			}
			continue
		}
		p := newPeer(t, s.URL)
		p.header.Set("Authorization", "Bearer "+token)
		p.open(r.String())
		p.call("t", `{}`).want(200, `"text":"t"`)
		stored, err := store.Get(t.Context(), p.session)
		if err != nil || strings.Contains(string(stored.Snapshot()), token) {
			t.Errorf("the token is stored: %v", err)
		}
	}
	if calls.Load() != int64(len(protocol.AllRevisions())) {
		t.Errorf("called %d times", calls.Load())
	}
}

// holds reports whether a value has a text in it that has this in it.
func holds(v reflect.Value, text string) bool {
	switch v.Kind() {
	case reflect.String:
		return strings.Contains(v.String(), text)
	case reflect.Pointer, reflect.Interface:
		return !v.IsNil() && holds(v.Elem(), text)
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if holds(v.Index(i), text) {
				return true
			}
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			if holds(k, text) || holds(v.MapIndex(k), text) {
				return true
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type() != reflect.TypeFor[time.Location]() && holds(v.Field(i), text) {
				return true
			}
		}
	}
	return false
}

// What a function makes of the Principal of Verified is held against the Policy all the same, over each
// transport: sessions, none, HTTP+SSE.
//
// rows: AUTH-103 AUTH-108 AUTH-220
func TestScopesOfEachTransport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := verified(t, verifier(ada), guard.Policy{Base: []string{"mcp"}, Method: map[string][]string{"tools/call": {"tools"}}})
		auth := func(r *http.Request) (nethttp.Principal, error) {
			who, err := inner(r)
			who.ID, who.Value = "tenant/"+who.ID, nil
			return who, err
		}
		for _, opt := range []nethttp.Options{{LegacySSE: true}, {Stateless: true}} {
			opt.Authenticate = auth
			b := newEras(t, newKit(), opt)
			defer b.close()
			poor, rich := bearer("mcp"), bearer("mcp.tools")
			call := callOf("echo", "{}")
			asks := map[string]func(edit func(*http.Request)) *response{
				"no session": func(edit func(*http.Request)) *response { return b.alone("tools/call", "echo", "", edit) },
			}
			if opt.Stateless {
				asks["stateless"] = func(edit func(*http.Request)) *response { return b.serve("POST", "", "2025-11-25", call, nil, edit) }
			} else {
				id := b.open("2025-11-25", poor)
				asks["session"] = func(edit func(*http.Request)) *response { return b.serve("POST", id, "2025-11-25", call, nil, edit) }
				x, _ := b.legacy(poor)
				_, query, _ := strings.Cut(x.text(), "data: /?")
				query, _, _ = strings.Cut(query, "\n")
				asks["HTTP+SSE"] = func(edit func(*http.Request)) *response {
					return b.serve("POST", "", "", call, nil, edit, func(r *http.Request) { r.URL.RawQuery = query })
				}
				defer x.cut()
			}
			for name, ask := range asks {
				r := ask(poor)
				if <-r.done; r.status() != 403 || r.head.Get("WWW-Authenticate") != `Bearer error="insufficient_scope", error_description="the token needs more scopes", scope="tools mcp"` {
					t.Errorf("%s: %d %v", name, r.status(), r.head)
				}
				r = ask(rich)
				if <-r.done; r.status() != 200 && r.status() != 202 {
					t.Errorf("%s: %d %s", name, r.status(), r.text())
				}
			}
		}
	})
}

// A page of another origin that may use the server reads why its request was not authorized.
func TestPagesReadChallenges(t *testing.T) {
	_, s := start(t, newKit(), nethttp.Options{Origins: []string{"https://page.example"}, Authenticate: verified(t, verifier(ada), guard.Policy{})})
	a := newPeer(t, s.URL).post(pinged, set("Origin", "https://page.example")).want(401)
	if a.head.Get("WWW-Authenticate") != "Bearer" || a.head.Get("Access-Control-Allow-Origin") != "https://page.example" || !strings.Contains(a.head.Get("Access-Control-Expose-Headers"), "Www-Authenticate") {
		t.Error(a.head)
	}
}
