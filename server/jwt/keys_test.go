package jwt_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const notSigned = "no key of the issuer signed the token"

// Whatever kids tokens name, the issuer is asked for its keys twice a minute at most, and a new key is
// found all the same. Until then its tokens are not refused, and those of keys taken back are.
//
// rows: SEC-114 AUTH-028
// revisions: all 2026-07-28
func TestForgedKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := newKey("1"), newKey("2")
		w := newWeb(first)
		v := w.verifier(t)
		want := func(token, outcomeWanted string) {
			t.Helper()
			if got := outcome(t, v, token); got != outcomeWanted {
				t.Fatalf("%v: %s, want %s", time.Now(), got, outcomeWanted)
			}
		}
		start, fresh := time.Now(), first.sign(claims())
		want(fresh, "ok")
		time.Sleep(time.Millisecond)
		for i := range 1000 {
			got := outcome(t, v, newKey(fmt.Sprint("forged", i)).sign(claims()))
			if got != "503" {
				t.Fatalf("%d: %s", i, got)
			}
			old := outcome(t, v, newKey(fmt.Sprint("forged", i)).sign(claims("iat", start.Unix()-600)))
			if old != notSigned {
				t.Fatalf("%d: %s", i, old)
			}
			time.Sleep(time.Minute / 1000)
		}
		if n := w.times(issuer + "/keys"); n != 2 {
			t.Fatalf("keys read %d times in a minute, want 2", n)
		}
		time.Sleep(time.Minute)
		want(newKey("forged").sign(claims()), "503") // reads them once more
		want(fresh, "ok")

		// A new key takes the place of the old one right after the keys were read.
		w.publish(second)
		rotated := time.Now()
		late := second.sign(claims())
		want(late, "503")
		want(fresh, "ok") // nobody knows yet
		for outcome(t, v, late) != "ok" {
			time.Sleep(time.Second)
		}
		if d := time.Since(rotated); d > 30*time.Second {
			t.Errorf("the new key was found after %v", d)
		}
		want(fresh, notSigned)
	})
}

// Who come at once share one request.
func TestKeysAreReadOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKey("1")
		w := newWeb(k)
		v := w.verifier(t)
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				if got := outcome(t, v, k.sign(claims())); got != "ok" {
					t.Error(got)
				}
			})
		}
		wg.Wait()
		if n := w.times(issuer + "/keys"); n != 1 {
			t.Errorf("%d requests", n)
		}
	})
}

// A key that the issuer takes back is good for an hour at most, and if the issuer does not answer, for
// two.
func TestKeysAreKept(t *testing.T) {
	for _, down := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			first, second := newKey("1"), newKey("2")
			w := newWeb(first)
			v := w.verifier(t)
			at := func(d time.Duration, k key, want string) {
				t.Helper()
				if got := outcome(t, v, k.sign(claims("iat", time.Now().Unix()-600))); got != want {
					t.Errorf("down %v, after %v: %s, want %s", down, d, got, want)
				}
			}
			start := time.Now()
			at(0, first, "ok")
			w.publish(second)
			w.down = down
			time.Sleep(time.Hour - time.Nanosecond)
			at(time.Since(start), first, "ok")
			time.Sleep(time.Nanosecond)
			if !down {
				at(time.Since(start), first, notSigned)
				at(time.Since(start), second, "ok")
				return
			}
			at(time.Since(start), first, "ok")
			asked := w.times(issuer + "/keys")
			for range 100 {
				at(time.Since(start), first, "ok")
				at(time.Since(start), second, "503")
			}
			if n := w.times(issuer+"/keys") - asked; n > 1 {
				t.Errorf("an issuer that does not answer was asked %d times at once", n)
			}
			time.Sleep(time.Hour - time.Nanosecond)
			at(time.Since(start), first, "ok")
			time.Sleep(time.Nanosecond)
			at(time.Since(start), first, "503")
			w.mu.Lock()
			w.down = false
			w.mu.Unlock()
			time.Sleep(5 * time.Second)
			at(time.Since(start), first, notSigned)
			at(time.Since(start), second, "ok")
		})
	}
}

// An issuer that cannot be asked is 503, and is asked again after five seconds.
func TestIssuerFails(t *testing.T) {
	const doc = issuer + "/.well-known/oauth-authorization-server"
	k := newKey("1")
	good := `{"issuer":"` + issuer + `","jwks_uri":"` + issuer + `/keys"}`
	for _, tt := range []struct {
		url    string
		status int
		body   string
	}{
		{doc, 500, ""},
		{doc, 200, `{"issuer":"https://evil.example","jwks_uri":"` + issuer + `/keys"}`},
		{doc, 200, "<html>"},
		{doc, 302, ""},
		{doc, 404, ""},
		{doc, 200, `{"issuer":"` + issuer + `"}`},
		{doc, 200, `{"issuer":"` + issuer + `","jwks_uri":"http://auth.example/keys"}`},
		{doc, 200, good + strings.Repeat(" ", 256<<10)},
		{issuer + "/keys", 404, ""},
		{issuer + "/keys", 500, published(k)},
		{issuer + "/keys", 200, "<html>"},
		{issuer + "/keys", 200, `{"keys":[1]}`},
		{issuer + "/keys", 200, published(k) + strings.Repeat(" ", 256<<10)},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWeb(k)
			w.text(tt.url, tt.status, tt.body)
			v := w.verifier(t)
			for range 10 {
				if got := outcome(t, v, k.sign(claims())); got != "503" {
					t.Errorf("%v: %s", tt, got)
				}
			}
			if n := w.times(tt.url); n != 1 {
				t.Errorf("%v: asked %d times", tt, n)
			}
			w.text(doc, 200, good)
			w.publish(k)
			time.Sleep(time.Hour)
			if got := outcome(t, v, k.sign(claims())); got != "ok" {
				t.Errorf("%v: %s after it answers", tt, got)
			}
		})
	}
}

// What an issuer publishes has 256 KiB at most, to the byte, and 10 seconds to come.
func TestIssuerIsBounded(t *testing.T) {
	k := newKey("1")
	for n, want := range map[int]string{256 << 10: "ok", 256<<10 + 1: "503"} {
		synctest.Test(t, func(t *testing.T) {
			w := newWeb(k)
			keys := published(k)
			w.text(issuer+"/keys", 200, keys+strings.Repeat(" ", n-len(keys)))
			if got := outcome(t, w.verifier(t), k.sign(claims())); got != want {
				t.Errorf("%d bytes: %s, want %s", n, got, want)
			}
		})
	}
	for late, want := range map[time.Duration]string{10*time.Second - 1: "ok", 10*time.Second + 1: "503"} {
		synctest.Test(t, func(t *testing.T) {
			w := newWeb(k)
			w.put(issuer+"/keys", func(r *http.Request) (int, string) {
				select {
				case <-time.After(late):
				case <-r.Context().Done():
					return 504, ""
				}
				return 200, published(k)
			})
			if got := outcome(t, w.verifier(t), k.sign(claims())); got != want {
				t.Errorf("after %v: %s, want %s", late, got, want)
			}
		})
	}
}

// Metadata is found at each of its places, and at none where it does not belong.
func TestPlaces(t *testing.T) {
	for _, tt := range []struct {
		issuer, place string
		found         bool
	}{
		{"https://a.example", "https://a.example/.well-known/oauth-authorization-server", true},
		{"https://a.example/", "https://a.example/.well-known/oauth-authorization-server", true},
		{"https://a.example", "https://a.example/.well-known/openid-configuration", true},
		{"https://a.example/t", "https://a.example/.well-known/oauth-authorization-server/t", true},
		{"https://a.example/t", "https://a.example/.well-known/openid-configuration/t", true},
		{"https://a.example/t", "https://a.example/t/.well-known/openid-configuration", true},
		{"https://a.example/t/", "https://a.example/t/.well-known/openid-configuration", true},
		{"https://a.example/t", "https://a.example/.well-known/oauth-authorization-server", false},
		{"https://a.example/t", "https://a.example/.well-known/openid-configuration", false},
		{"https://a.example/t", "https://a.example/t/.well-known/oauth-authorization-server", false},
	} {
		synctest.Test(t, func(t *testing.T) {
			k := newKey("1")
			w := newWeb(k)
			w.text(tt.place, 200, `{"issuer":"`+tt.issuer+`","jwks_uri":"`+issuer+`/keys"}`)
			v := w.verifier(t, issuedBy(tt.issuer))
			if got := outcome(t, v, k.sign(claims("iss", tt.issuer))); got == "ok" != tt.found {
				t.Errorf("%+v: %s", tt, got)
			}
		})
	}
}
