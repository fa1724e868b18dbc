package login_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/oauth/login"
	"github.com/sansmcp/mcp/client/oauth/store"
)

// full is a Store that saves nothing for as long as it is full.
type full struct {
	store.Store
	is bool
}

func (f *full) Save(ctx context.Context, key string, r oauth.Record, v store.Version) (store.Version, error) {
	if f.is {
		return "", errBroken
	}
	return f.Store.Save(ctx, key, r, v)
}

// shared returns Runners of two processes.
func shared(t *testing.T, s *authServer, kept store.Store) (a, b *login.Runner) {
	t.Helper()
	c, opt := oauth.Config{Redirect: "https://h/callback"}, login.Options{Detached: true, Store: kept}
	return newRunner(t, s, c, opt), newRunner(t, s, c, opt)
}

// waits has a Runner wait for a person, and returns where she is sent.
func waits(t testing.TB, s *authServer, r *login.Runner, used oauth.Secret) oauth.Page {
	t.Helper()
	var person *login.PersonError
	if _, err := r.Authorize(t.Context(), s.refused(used)); !errors.As(err, &person) {
		t.Fatal(err)
	}
	return person.Page
}

// An answer that belongs to no login leaves what others have stored meanwhile.
func TestForeignAnswerKeepsTheToken(t *testing.T) {
	s, kept := newAuthServer(t), &full{Store: store.NewMemory()}
	a, b := shared(t, s, kept)
	if err := b.Returned(t.Context(), answerOf(t, waits(t, s, b, ""))); err != nil {
		t.Fatal(err)
	}
	tok, err := b.Authorize(t.Context(), oauth.Need{})
	if err != nil {
		t.Fatal(err)
	}
	first := tok.Access
	kept.is = true
	if _, err = b.Authorize(t.Context(), s.refused(first)); err != nil {
		t.Fatal(err)
	}
	kept.is = false
	if err := a.Returned(t.Context(), answerOf(t, waits(t, s, a, first))); err != nil {
		t.Fatal(err)
	}
	tok, err = a.Authorize(t.Context(), oauth.Need{})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Returned(t.Context(), "code=x&state=y"); !errors.Is(err, login.ErrState) {
		t.Error(err)
	}
	rec, _, err := kept.Load(t.Context(), "\n"+s.url+"/mcp")
	if err != nil || rec.Token.Access != tok.Access {
		t.Errorf("the token of the last login is not there any more: %v", err)
	}
	if is, err := b.Authorize(t.Context(), oauth.Need{}); err != nil || is.Access != tok.Access {
		t.Errorf("it is not known where the answer came: %v", err)
	}
}

// An answer that cannot be read, or says something twice, takes no login: the person can still come back.
func TestUnreadableAnswerTakesNothing(t *testing.T) {
	s, kept := newAuthServer(t), store.NewMemory()
	a, b := shared(t, s, kept)
	page := waits(t, s, a, "")
	answer := answerOf(t, page)
	load := func() oauth.Secret {
		rec, _, err := kept.Load(t.Context(), "\n"+s.url+"/mcp")
		if err != nil {
			t.Fatal(err)
		}
		return rec.Pending
	}
	before := load()
	for name, query := range map[string]string{
		"twice":     answer + "&state=" + url.QueryEscape(page.State),
		"two codes": answer + "&code=x",
		"too long":  answer + "&x=" + strings.Repeat("x", 1<<20),
		"bad":       answer + "&%",
	} {
		for _, r := range []*login.Runner{a, b} {
			if err := r.Returned(t.Context(), query); !errors.Is(err, login.ErrState) || load() != before {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if err := b.Returned(t.Context(), answer); err != nil {
		t.Error(err)
	}
}

// What a person has said yes to is gone from the browser once the login is over, and after ten minutes in any case: all
// cookies come with each request to the host, and there may be many servers.
func TestConsentDoesNotStay(t *testing.T) {
	for _, refused := range []bool{false, true} {
		d := newDesk(t)
		b := d.browser("ann")
		value, _ := b.ask()
		resp, _ := b.do(http.MethodPost, b.url+"/the%20notes", url.Values{"value": {value}}, nil)
		if c := resp.Cookies(); len(c) != 1 || c[0].MaxAge != 600 || len(b.cookies) != 2 {
			t.Errorf("%+v", c)
		}
		to := b.visit(resp.Header.Get("Location"))
		if refused {
			to = strings.Replace(to, "code=", "error=access_denied&x=", 1)
		}
		for _, other := range []string{b.url + "/the%20notes/callback", b.url + "/the%20notes/callback?code=x&state=y", to + "&state=y"} {
			if status := b.back(other); status != http.StatusBadRequest || len(b.cookies) != 2 {
				t.Error("what is not the answer:", status, b.cookies)
			}
		}
		if status := b.back(to); (status == http.StatusOK) == refused || len(b.cookies) != 1 {
			t.Error(status, b.cookies)
		}
	}
}
