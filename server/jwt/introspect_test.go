package jwt_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server/guard"
	"github.com/sansmcp/mcp/server/jwt"
)

const asked = issuer + "/ask"

// introspecting is a Config whose issuer is asked.
func introspecting(c *jwt.Config) {
	c.Issuers[0].Introspection = &jwt.Introspection{Client: "mcp:1", Secret: "s %"}
}

// active is the answer for a token that is good for five minutes, with more members.
func active(more string) string {
	return fmt.Sprintf(`{"active":true,"sub":"ann","client_id":"app","scope":"tools files","aud":["https://mcp.example/mcp"],"exp":%d%s}`, time.Now().Unix()+300, more)
}

// What an issuer may say of a token, and what becomes of it.
//
// rows: AUTH-028
// revisions: all 2026-07-28
func TestIntrospection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now().Unix()
		const inactive = "the token is not active"
		for _, tt := range []struct {
			status int
			body   string
			want   string
		}{
			{200, active(""), "ok"},
			{200, active(`,"iss":"` + issuer + `","token_use":"access_token"`), "ok"},
			{200, `{"active":true,"sub":"ann"}`, "ok"},
			{200, `{"active":false}`, inactive},
			{200, `{"active":false,"sub":"ann"}`, inactive},
			{200, active(`,"token_use":"refresh_token"`), inactive},
			{200, active(`,"iss":"https://evil.example"`), "the token is of another issuer"},
			{200, active(`,"iss":null`), "the token is of another issuer"},
			{200, fmt.Sprintf(`{"active":true,"sub":"ann","exp":%d}`, now-30), "the token has expired"},
			{200, fmt.Sprintf(`{"active":true,"sub":"ann","nbf":%d}`, now+31), "the token is not valid yet"},
			{200, `{"active":true,"sub":"ann","exp":"soon"}`, "exp is not a time"},
			{200, `{"active":true,"client_id":"app"}`, "ok"},
			{200, `{"active":true}`, "the token names nobody"},
			{200, `{"active":true,"client_id":"app","sub":1}`, "the token names nobody"},
			{200, active(`,"cnf":{"x5t#S256":"x"}`), "the token is bound to a key, and no proof is checked here"},
			{200, `{"active":"true","sub":"ann"}`, "503"},
			{200, `{"Active":true,"sub":"ann"}`, "503"},
			{200, `{}`, "503"},
			{200, `<html>`, "503"},
			{200, active("") + strings.Repeat(" ", 256<<10), "503"},
			{401, `{"error":"invalid_client"}`, "503"},
			{302, ``, "503"},
			{500, active(""), "503"},
		} {
			w := newWeb()
			w.text(asked, tt.status, tt.body)
			v := w.verifier(t, introspecting)
			for _, token := range []string{"opaque", newKey("1").sign(claims())} {
				if got := outcome(t, v, token); got != tt.want {
					t.Errorf("%d %.100s: %s, want %s", tt.status, tt.body, got, tt.want)
				}
			}
			if got := outcome(t, v, newKey("1").sign(claims("iss", "https://evil.example"))); got == "ok" {
				t.Error("the token of another issuer passed")
			}
			if n := w.times(asked); n != 2 {
				t.Errorf("%d requests", n)
			}
		}
	})
}

func TestIntrospectedIdentity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		w.put(asked, func(r *http.Request) (int, string) {
			user, password, _ := r.BasicAuth()
			if err := r.ParseForm(); err != nil {
				t.Error(err)
			}
			if r.Method != http.MethodPost || user != "mcp%3A1" || password != "s+%25" || r.Form.Encode() != "token=o+paque&token_type_hint=access_token" {
				t.Error(r.Method, user, password, r.Form)
			}
			return 200, active("")
		})
		got, err := w.verifier(t, introspecting).Verify(context.Background(), "o paque", nil)
		want := guard.Identity{
			Issuer: issuer, Subject: "ann", Client: "app", Audience: []string{"https://mcp.example/mcp"},
			Scopes: []string{"tools", "files"}, Expires: time.Unix(time.Now().Unix()+300, 0),
		}
		if c, ok := got.Value.(jwt.Claims); !ok || string(c["active"]) != "true" {
			t.Errorf("%v", got.Value)
		}
		if got.Value = nil; err != nil || !cmp.Equal(got, want) {
			t.Errorf("%v %s", err, cmp.Diff(want, got))
		}
	})
}

// An answer is kept for Keep, and not longer than the token lives; a failure is not kept.
func TestKeep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct{ set, keep time.Duration }{{0, 10 * time.Second}, {time.Minute, time.Minute}, {lifecycle.NoTimeout, 0}} {
			w := newWeb()
			v := w.verifier(t, introspecting, func(c *jwt.Config) { c.Issuers[0].Introspection.Keep = tt.set })
			check := func(token, want string, requests int) {
				t.Helper()
				before := w.times(asked)
				if got := outcome(t, v, token); got != want || w.times(asked)-before != requests {
					t.Errorf("keep %v: %s after %d requests, want %s after %d", tt.keep, got, w.times(asked)-before, want, requests)
				}
			}
			w.text(asked, 500, "")
			check("a", "503", 1)
			w.text(asked, 200, active(""))
			check("a", "ok", 1)
			w.text(asked, 200, `{"active":false}`)
			if tt.keep > 0 {
				time.Sleep(tt.keep - time.Nanosecond)
				check("a", "ok", 0)
				time.Sleep(time.Nanosecond)
			}
			check("a", "the token is not active", 1)
			w.text(asked, 200, fmt.Sprintf(`{"active":true,"sub":"ann","exp":%d}`, time.Now().Unix()+1))
			check("b", "ok", 1)
			time.Sleep(31 * time.Second)
			w.text(asked, 500, "")
			check("b", map[bool]string{true: "the token has expired", false: "503"}[tt.keep > 31*time.Second], map[bool]int{true: 0, false: 1}[tt.keep > 31*time.Second])
		}
	})
}

// Who come with one token share one request, and it goes on without the one who came first.
func TestAskedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		w.put(asked, func(*http.Request) (int, string) {
			time.Sleep(time.Second)
			return 200, active("")
		})
		v := w.verifier(t, introspecting)
		ctx, leave := context.WithCancel(context.Background())
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := v.Verify(ctx, "a", nil); err == nil {
				t.Error("verified for one who left")
			}
		})
		synctest.Wait()
		for range 50 {
			wg.Go(func() {
				if got := outcome(t, v, "a"); got != "ok" {
					t.Error(got)
				}
			})
		}
		synctest.Wait()
		leave()
		wg.Wait()
		if n := w.times(asked); n != 1 {
			t.Errorf("%d requests", n)
		}
	})
}

// However many tokens come, a hundred requests are under way at a time and 20,000 answers are kept.
func TestIntrospectionIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		w.put(asked, func(*http.Request) (int, string) {
			time.Sleep(time.Second)
			return 200, active("")
		})
		v := w.verifier(t, introspecting, func(c *jwt.Config) { c.Issuers[0].Introspection.Keep = time.Hour })
		var wg sync.WaitGroup
		for i := range 100 {
			wg.Go(func() {
				if got := outcome(t, v, fmt.Sprint("slow", i)); got != "ok" {
					t.Error(got)
				}
			})
		}
		synctest.Wait()
		if got := outcome(t, v, "one more"); got != "503" {
			t.Error(got)
		}
		wg.Wait()
		w.text(asked, 200, active(""))
		for i := range 20_000 {
			outcome(t, v, fmt.Sprint(i))
		}
		again := func(token string) int {
			before := w.times(asked)
			outcome(t, v, token)
			return w.times(asked) - before
		}
		if again("19999") != 0 || again("10000") != 0 {
			t.Error("what was just asked is asked again")
		}
		if again("slow1") != 1 || again("1") != 1 {
			t.Error("all answers are kept")
		}
	})
}

// Who comes with tokens and leaves at once holds no place for others, and costs nobody the metadata.
func TestLeftIntrospection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		w.put(asked, func(r *http.Request) (int, string) {
			select {
			case <-time.After(5 * time.Second):
			case <-r.Context().Done():
			}
			return 200, active("")
		})
		v := w.verifier(t, introspecting)
		for i := range 150 {
			ctx, leave := context.WithCancel(context.Background())
			go func() { _, _ = v.Verify(ctx, fmt.Sprint("forged", i), nil) }()
			synctest.Wait()
			leave()
			synctest.Wait()
		}
		if got := outcome(t, v, "good"); got != "ok" {
			t.Error(got)
		}
		// The next one who has the token asks anew.
		ctx, leave := context.WithCancel(context.Background())
		go func() { _, _ = v.Verify(ctx, "again", nil) }()
		synctest.Wait()
		leave()
		if got := outcome(t, v, "again"); got != "ok" {
			t.Error(got)
		}
	})
}
