package authservers

import (
	"crypto/rand"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
)

// flow is a running Flow, whose person logs in when asked to.
type flow struct {
	oauth.Flow
	n      *network
	as     *Server
	config oauth.Config
	grants []string // the grants used for tokens
}

// newFlow returns the Flow of a client at the server.
func newFlow(t *testing.T, n *network, as *Server, client string) *flow {
	t.Helper()
	l := &flow{n: n, as: as, config: config(as, client)}
	var err error
	l.Flow, err = oauth.New(l.config, serverURL)
	must(t, err)
	return l
}

func random() (r oauth.Random) {
	_, _ = rand.Read(r[:])
	return r
}

// want requests a token and runs the Flow as far as it gets without the person.
func (l *flow) want(t *testing.T, need oauth.Need) {
	t.Helper()
	l.Flow = l.Want(time.Now(), random(), need)
	l.run(t)
}

// agree lets the person log in, and runs the Flow to its end.
func (l *flow) agree(t *testing.T) {
	t.Helper()
	if l.Phase() != oauth.Person {
		t.Fatalf("%v: %v", l.Phase(), l.Failure())
	}
	l.Flow = l.Returned(time.Now(), random(), logIn(t, l.n, l.as, l.Page().URL))
	l.run(t)
}

func (l *flow) run(t *testing.T) {
	t.Helper()
	for l.Phase().Running() && l.Phase() != oauth.Person {
		switch l.Phase() {
		case oauth.Requesting:
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

func (l *flow) do(c oauth.HTTPRequest) (oauth.Answer, error) {
	r, err := http.NewRequest(c.Method, c.URL, strings.NewReader(string(c.Body)))
	if err != nil {
		return oauth.Answer{}, err
	}
	l.grants = append(l.grants, granted(strings.NewReader(string(c.Body)))...)
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

// granted returns the grant of a token request's form, if any.
func granted(form io.Reader) []string {
	text, _ := io.ReadAll(form)
	v, _ := url.ParseQuery(string(text))
	return v["grant_type"]
}

// token returns the token that a call would have now.
func (l *flow) token(t *testing.T) oauth.Token {
	t.Helper()
	token, ok := l.Token(time.Now())
	if !ok {
		t.Fatalf("no token: %v, %v", l.Phase(), l.Failure())
	}
	return token
}
