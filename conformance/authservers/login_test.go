package authservers

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
)

// everywhere runs a test with each authorization server, in its own network.
func everywhere(t *testing.T, test func(t *testing.T, n *network, as *Server)) {
	for _, x := range []struct {
		name   string
		start  func(context.Context, Options) (*Server, error)
		opaque bool
	}{
		{"dex", Dex, false}, {"zitadel", zitadel, false}, {"zitadel opaque", zitadel, true},
	} {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(t)
				as := start(t, n, x.start, Options{Opaque: x.opaque})
				protect(t, n, as)
				test(t, n, as)
			})
		})
	}
}

func zitadel(_ context.Context, o Options) (*Server, error) { return Zitadel(o), nil }

// start starts an authorization server in a network.
func start(t *testing.T, n *network, with func(context.Context, Options) (*Server, error), o Options) *Server {
	t.Helper()
	const host = "127.0.0.1:5556"
	o.URL, o.Client = "http://"+host, n.client()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	as, err := with(ctx, o)
	must(t, err)
	n.serve(t, host, as)
	return as
}

// logIn lets the person go through the pages of a login, and returns its end.
func logIn(t *testing.T, n *network, as *Server, page string) (query string) {
	t.Helper()
	query, err := as.Person.Login(n.browser(), page, Redirect)
	must(t, err)
	return query
}

// enter lets a client log in, and returns it with a token that the server accepts.
func enter(t *testing.T, n *network, as *Server) *flow {
	t.Helper()
	l := newFlow(t, n, as, ClientID)
	_, need := call(t, n, "")
	l.want(t, need)
	l.agree(t)
	served(t, n, l)
	return l
}

// served fails if the server does not accept the client's token.
func served(t *testing.T, n *network, l *flow) {
	t.Helper()
	if text, need := call(t, n, l.token(t).Access); need.Status != 200 || !strings.Contains(text, "you are ") {
		t.Fatalf("%d %s %+v", need.Status, text, need.Challenge)
	}
}

// refused fails if the server accepts the token, or refuses it for another reason.
func refused(t *testing.T, n *network, token oauth.Secret) oauth.Need {
	t.Helper()
	text, need := call(t, n, token)
	if need.Status != 401 || need.Challenge.Error != "invalid_token" {
		t.Fatalf("%d %s %+v", need.Status, text, need.Challenge)
	}
	return need
}

// A person logs in once, and the token is valid for the tool. Before, the server only says where to log in.
func TestLogin(t *testing.T) {
	everywhere(t, func(t *testing.T, n *network, as *Server) {
		text, need := call(t, n, "")
		if need.Status != 401 || need.Challenge.ResourceMetadata == "" || need.Challenge.Error != "" || strings.Contains(text, "you are") {
			t.Fatalf("%s %+v", text, need)
		}
		l := newFlow(t, n, as, ClientID)
		l.want(t, need)
		l.agree(t)
		served(t, n, l)
		if got := l.Record(); got.Issuer != as.Issuer.URL || got.Token.Refresh == "" || got.Token.Resource != serverURL {
			t.Errorf("%+v", got)
		}
		parts := strings.Split(string(l.token(t).Access), ".")
		parts[len(parts)-1] = strings.Repeat("A", len(parts[len(parts)-1]))
		refused(t, n, oauth.Secret(strings.Join(parts, ".")))
	})
}

// A token is renewed before it expires, by a refresh token that works once, without a login. The
// old token expires at the server.
func TestRefresh(t *testing.T) {
	everywhere(t, func(t *testing.T, n *network, as *Server) {
		l := enter(t, n, as)
		stolen := newFlow(t, n, as, ClientID)
		stolen.Flow = stolen.Adopt(time.Now(), l.Record())
		first := l.token(t)
		for range 5 {
			old := l.token(t)
			time.Sleep(time.Until(old.Renew))
			l.want(t, oauth.Need{Used: old.Access})
			if now := l.token(t); now.Access == old.Access || now.Refresh == old.Refresh || !now.Expires.After(old.Expires) {
				t.Fatalf("not renewed: %v", l.Failure())
			}
			served(t, n, l)
		}
		refused(t, n, first.Access)
		stolen.want(t, refused(t, n, first.Access))
		if stolen.Phase() != oauth.Person || !slices.Equal(stolen.grants, []string{"refresh_token"}) {
			t.Errorf("an old refresh token: %v, %v after %q", stolen.Phase(), stolen.Failure(), stolen.grants)
		}
	})
}

// A revoked refresh token leads to the page again, and not to an error.
func TestRevoked(t *testing.T) {
	everywhere(t, func(t *testing.T, n *network, as *Server) {
		l := enter(t, n, as)
		must(t, as.Forget(ClientID, string(l.token(t).Refresh)))
		if as.Issuer.Introspection != nil { // its access token is invalid too, once the server asks again
			served(t, n, l)
			time.Sleep(10 * time.Second)
		} else {
			time.Sleep(time.Until(l.token(t).Expires.Add(time.Minute)))
		}
		l.want(t, refused(t, n, l.Record().Token.Access))
		l.agree(t)
		served(t, n, l)
		if want := []string{"authorization_code", "refresh_token", "authorization_code"}; !slices.Equal(l.grants, want) {
			t.Errorf("%q, want %q", l.grants, want)
		}
	})
}

// A tool that needs more scopes than requested leads to another page, and to a token for both.
func TestStepUp(t *testing.T) {
	everywhere(t, func(t *testing.T, n *network, as *Server) {
		if as.Needs == nil { // its tokens have no scopes
			return
		}
		as.Base = []string{"openid"}
		protect(t, n, as)
		l := newFlow(t, n, as, ClientID)
		_, need := call(t, n, "")
		l.want(t, need)
		l.agree(t)
		_, need = call(t, n, l.token(t).Access)
		if need.Status != 403 || need.Challenge.Error != "insufficient_scope" || need.Challenge.Scope != "tools openid" {
			t.Fatalf("%d %+v", need.Status, need.Challenge)
		}
		l.want(t, need)
		l.agree(t)
		served(t, n, l)
		if got := l.Record().Asked; !slices.Equal(got, []string{"openid", "tools"}) {
			t.Errorf("asked for %q", got)
		}
	})
}

// A client logs in for itself, and does so again when its token has expired.
func TestClientCredentials(t *testing.T) {
	everywhere(t, func(t *testing.T, n *network, as *Server) {
		if as.Machine.ID == "" {
			return
		}
		as.Audience = as.Machine.ID
		protect(t, n, as)
		l := &flow{n: n, config: oauth.Config{Grant: oauth.ClientCredentials, Clients: []oauth.Credentials{as.Machine}}}
		var err error
		l.Flow, err = oauth.New(l.config, serverURL)
		must(t, err)
		_, need := call(t, n, "")
		l.want(t, need)
		served(t, n, l)
		time.Sleep(as.Life + time.Minute)
		l.want(t, refused(t, n, l.Record().Token.Access))
		served(t, n, l)
		if want := []string{"client_credentials", "client_credentials"}; !slices.Equal(l.grants, want) {
			t.Errorf("%q, want %q", l.grants, want)
		}
	})
}

// A client that restarts while the person is at the page continues where it was, and no other one can.
func TestRestart(t *testing.T) {
	everywhere(t, func(t *testing.T, n *network, as *Server) {
		l := newFlow(t, n, as, ClientID)
		_, need := call(t, n, "")
		l.want(t, need)
		query := logIn(t, l.n, l.as, l.Page().URL)
		other := newFlow(t, n, as, ClientID)
		other.want(t, need)
		other.Flow = other.Returned(time.Now(), random(), query)
		if other.Phase() != oauth.Person {
			t.Errorf("the answer of another login: %v", other.Phase())
		}
		time.Sleep(time.Minute)
		again, err := oauth.Restore(l.config, serverURL, l.Snapshot(oauth.With))
		must(t, err)
		restored := &flow{Flow: again, n: n, as: as, config: l.config}
		restored.Flow = restored.Returned(time.Now(), random(), query)
		restored.run(t)
		served(t, n, restored)
	})
}

// A token for another server of the same authorization server is refused, and so is one for the client unless
// the policy says that the authorization server uses this name for the server.
//
// rows: AUTH-052
// revisions: 2025-06-18.. 2026-07-28
func TestAudience(t *testing.T) {
	everywhere(t, func(t *testing.T, n *network, as *Server) {
		l := newFlow(t, n, as, OtherClient)
		_, need := call(t, n, "")
		l.want(t, need)
		l.agree(t)
		need = refused(t, n, l.token(t).Access)
		if need.Challenge.ErrorDescription != "the token is not for this server" {
			t.Errorf("%+v", need.Challenge)
		}
		own := enter(t, n, as)
		as.Audience = serverURL
		protect(t, n, as)
		refused(t, n, own.token(t).Access)
	})
}

// The authorization server signs with a new key: its tokens are valid at most half a minute later, and
// those of the old key until they expire.
func TestKeyRotation(t *testing.T) {
	everywhere(t, func(t *testing.T, n *network, as *Server) {
		l := enter(t, n, as)
		must(t, as.Rotate())
		served(t, n, l)
		second := newFlow(t, n, as, ClientID)
		_, need := call(t, n, "")
		second.want(t, need)
		second.agree(t)
		if head := func(l *flow) string { head, _, _ := strings.Cut(string(l.token(t).Access), "."); return head }; as.Issuer.Introspection == nil && head(l) == head(second) {
			t.Error("the key is still the old one")
		}
		for end := time.Now().Add(30 * time.Second); ; time.Sleep(time.Second) {
			_, need := call(t, n, second.token(t).Access)
			if need.Status == 200 {
				break
			}
			if need.Status != 503 || !time.Now().Before(end) {
				t.Fatalf("%d %+v", need.Status, need.Challenge)
			}
		}
		served(t, n, l)
	})
}
