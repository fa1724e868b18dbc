package authservers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/oauth/login"
	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/protocol"
)

// The whole client logs in once, in each era, and continues for longer than its token is valid.
func TestClient(t *testing.T) {
	everywhere(t, func(t *testing.T, n *network, as *Server) {
		visit(t, n, as, protocol.Revision20251125)
		visit(t, n, as, protocol.Revision20260728)
	})
}

// visit connects a client to the server, and calls the tool repeatedly.
func visit(t *testing.T, n *network, as *Server, rev protocol.Revision) {
	t.Helper()
	through := &counter{next: n.transport}
	r, err := login.New(config(as, ClientID), serverURL, login.Options{Detached: true, Transport: through})
	must(t, err)
	defer r.Close()
	v := &visitor{Runner: r, t: t, n: n, as: as}
	tr, err := remote.New(serverURL, remote.Options{Client: &http.Client{Transport: n.transport}, Auth: v, NoListen: true})
	must(t, err)
	c, err := session.Connect(t.Context(), client.Config{Info: protocol.Implementation{Name: "client", Version: "1"}, Revisions: []protocol.Revision{rev}}, tr, session.Options{})
	must(t, err)
	defer func() { _ = c.Close(t.Context()) }()
	for range 3 {
		r, err := c.CallTool(t.Context(), protocol.CallToolParams{Name: "who"}, session.RequestOptions{})
		must(t, err)
		if text := fmt.Sprintf("%+v", r.Content); !strings.Contains(text, "you are ") {
			t.Error(text)
		}
		time.Sleep(as.Life - 5*time.Second)
	}
	if want := []string{"authorization_code", "refresh_token", "refresh_token"}; !slices.Equal(through.grants, want) || v.logins != 1 {
		t.Errorf("%q, and %d logins of the person", through.grants, v.logins)
	}
}

// visitor is a Runner whose person logs in when needed.
type visitor struct {
	*login.Runner
	t      *testing.T
	n      *network
	as     *Server
	logins int
}

// Authorize returns the token of a request.
func (v *visitor) Authorize(ctx context.Context, need oauth.Need) (oauth.Token, error) {
	token, err := v.Runner.Authorize(ctx, need)
	var page *login.PersonError
	if errors.As(err, &page) {
		v.logins++
		if err = v.Returned(ctx, logIn(v.t, v.n, v.as, page.Page.URL)); err == nil {
			return v.Runner.Authorize(ctx, need)
		}
	}
	return token, err
}

// counter records the grants of its requests.
type counter struct {
	next   http.RoundTripper
	mu     sync.Mutex
	grants []string
}

// RoundTrip makes a request.
func (c *counter) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost {
		body, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		c.mu.Lock()
		c.grants = append(c.grants, granted(body)...)
		c.mu.Unlock()
	}
	return c.next.RoundTrip(r)
}
