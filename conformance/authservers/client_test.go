package authservers

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
)

// login is a Flow that is run, and whose person logs in when asked to.
type login struct {
	oauth.Flow
	t      *testing.T
	n      *network
	person person
	config oauth.Config
	grants []string // what tokens were asked for by
	mu     sync.Mutex
}

// newLogin returns a login of a client at the server.
func newLogin(t *testing.T, n *network, as authServer, client string) *login {
	t.Helper()
	l := &login{t: t, n: n, person: as.person, config: oauth.Config{Redirect: redirect, Clients: []oauth.Client{{Issuer: as.issuer.URL, ID: client}}}}
	var err error
	l.Flow, err = oauth.New(l.config, serverURL)
	must(t, err)
	return l
}

func random() (r oauth.Random) {
	_, _ = rand.Read(r[:])
	return r
}

// want wants a token and runs the Flow as far as it comes without the person.
func (l *login) want(t *testing.T, need oauth.Need) {
	t.Helper()
	l.Flow = l.Want(time.Now(), random(), need)
	l.run(t)
}

// agree has the person log in, and runs the Flow to its end.
func (l *login) agree(t *testing.T) {
	t.Helper()
	if l.Phase() != oauth.Person {
		t.Fatalf("%v: %v", l.Phase(), l.Failure())
	}
	l.Flow = l.Returned(time.Now(), random(), l.person.login(t, l.Page().URL, redirect))
	l.run(t)
}

func (l *login) run(t *testing.T) {
	t.Helper()
	for l.Phase().Running() && l.Phase() != oauth.Person {
		switch l.Phase() {
		case oauth.Request:
			a, err := l.do(l.Call())
			if err != nil {
				l.Flow = l.Unanswered(time.Now(), random())
			} else {
				l.Flow = l.Respond(time.Now(), random(), a)
			}
		case oauth.Waiting:
			at, _ := l.NextDeadline()
			time.Sleep(time.Until(at))
			l.Flow = l.Tick(time.Now(), random())
		default:
			t.Fatalf("phase %v", l.Phase())
		}
	}
}

func (l *login) do(c oauth.Call) (oauth.Answer, error) {
	r, err := http.NewRequest(c.Method, c.URL, strings.NewReader(string(c.Body)))
	if err != nil {
		return oauth.Answer{}, err
	}
	if form, err := url.ParseQuery(string(c.Body)); err == nil && form.Has("grant_type") {
		l.grants = append(l.grants, form.Get("grant_type"))
	}
	for _, f := range c.Fields {
		r.Header.Set(f.Name, f.Value)
	}
	a, err := l.n.client().Do(r)
	if err != nil {
		return oauth.Answer{}, err
	}
	defer a.Body.Close()
	body, err := io.ReadAll(io.LimitReader(a.Body, int64(c.MaxBytes)+1))
	return oauth.Answer{Status: a.StatusCode, Location: a.Header.Get("Location"), Body: body}, err
}

// Authorize returns the token of a request, as a remote.Authorizer does. The person logs in where needed.
func (l *login) Authorize(_ context.Context, need oauth.Need) (oauth.Token, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.want(l.t, need); l.Phase() == oauth.Person {
		l.agree(l.t)
	}
	token, _ := l.Token(time.Now())
	if f := l.Failure(); f != nil {
		return oauth.Token{}, f
	}
	return token, nil
}

// Prove returns no proof.
func (l *login) Prove(context.Context, oauth.Proof) (string, error) { return "", errors.ErrUnsupported }

// token returns the token that a call would have now.
func (l *login) token(t *testing.T) oauth.Token {
	t.Helper()
	token, ok := l.Token(time.Now())
	if !ok {
		t.Fatalf("no token: %v, %v", l.Phase(), l.Failure())
	}
	return token
}
