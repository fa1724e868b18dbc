package authservers

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/server/jwt"
)

// startZitadel starts the provider of zitadel/oidc with the pages of its example. Its tokens are JWTs, or
// opaque.
func startZitadel(t *testing.T, n *network, opaque bool) authServer {
	const host = "127.0.0.1:9998"
	issuer := "http://" + host
	clients := map[string]*storage.Client{
		clientID:    storage.NativeClient(clientID, redirect),
		otherClient: storage.NativeClient(otherClient, redirect),
		"server":    storage.WebClient("server", "s e/c+ret"),
	}
	store := &zitadelStore{Storage: storage.NewStorageWithClients(storage.NewUserStore(issuer), clients), opaque: opaque}
	store.rotate()
	n.serve(t, host, exampleop.SetupServer(issuer, store, slog.New(slog.NewTextHandler(io.Discard, nil)), false))
	a := authServer{
		issuer:   jwt.Issuer{URL: issuer},
		scopes:   []string{"openid", "tools"},
		needs:    []string{"tools"},
		audience: clientID, life: 5 * time.Minute,
		person: person{n.browser(), "test-user@127.0.0.1", "verysecure"},
		rotate: store.rotate,
		forget: func(token string) {
			a, err := n.client().PostForm(issuer+"/revoke", url.Values{"token": {token}, "client_id": {clientID}})
			must(t, err)
			a.Body.Close()
			if a.StatusCode != http.StatusOK {
				t.Fatal(a.Status)
			}
		},
	}
	if !opaque { // the example does not answer what it knows of others
		a.machine = oauth.Client{Issuer: issuer, ID: "sid1", Secret: "verysecret"}
	} else {
		a.issuer.Introspection = &jwt.Introspection{Client: "server", Secret: "s e/c+ret"}
	}
	return a
}

// zitadelStore is the storage of the example, with keys that are rotated and clients of more kinds.
type zitadelStore struct {
	*storage.Storage
	opaque bool

	mu   sync.Mutex
	keys []op.Key // the last one signs
}

func (s *zitadelStore) rotate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := len(s.keys)
	s.keys = append(s.keys, zitadelKey{fmt.Sprint("key", i), privateKeys()[i]})
}

// privateKeys are those of all tests: they take long to make.
var privateKeys = sync.OnceValue(func() (list [2]*rsa.PrivateKey) {
	for i := range list {
		var err error
		if list[i], err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
			panic(err)
		}
	}
	return list
})

func (s *zitadelStore) SigningKey(context.Context) (op.SigningKey, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return signingKey{s.keys[len(s.keys)-1].(zitadelKey)}, nil
}

func (s *zitadelStore) KeySet(context.Context) ([]op.Key, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]op.Key(nil), s.keys...), nil
}

func (s *zitadelStore) GetClientByClientID(ctx context.Context, id string) (op.Client, error) {
	c, err := s.Storage.GetClientByClientID(ctx, id)
	if err != nil {
		return nil, err
	}
	return zitadelClient{c, s.opaque}, nil
}

// SetIntrospectionFromToken lets the server ask about tokens of its clients, and says whose they are.
func (s *zitadelStore) SetIntrospectionFromToken(ctx context.Context, a *oidc.IntrospectionResponse, token, subject, asker string) error {
	for _, id := range []string{clientID, otherClient} {
		if err := s.Storage.SetIntrospectionFromToken(ctx, a, token, subject, id); err == nil && asker == "server" {
			a.Audience = oidc.Audience{id}
			return nil
		}
	}
	return errors.New("the token is not active")
}

func (s *zitadelStore) ClientCredentials(ctx context.Context, id, secret string) (op.Client, error) {
	c, err := s.Storage.ClientCredentials(ctx, id, secret)
	if err != nil {
		return nil, err
	}
	return zitadelClient{c, s.opaque}, nil
}

// GetPrivateClaimsFromScopes has the scopes in the JWTs, which are without them otherwise.
func (s *zitadelStore) GetPrivateClaimsFromScopes(_ context.Context, _, _ string, scopes []string) (map[string]any, error) {
	return map[string]any{"scope": strings.Join(scopes, " ")}, nil
}

// zitadelClient is a client that may ask for the scope tools.
type zitadelClient struct {
	op.Client
	opaque bool
}

func (c zitadelClient) IsScopeAllowed(scope string) bool { return scope == "tools" }

func (c zitadelClient) AccessTokenType() op.AccessTokenType {
	if c.opaque {
		return op.AccessTokenTypeBearer
	}
	return op.AccessTokenTypeJWT
}

type zitadelKey struct {
	id      string
	private *rsa.PrivateKey
}

func (k zitadelKey) ID() string                         { return k.id }
func (k zitadelKey) Algorithm() jose.SignatureAlgorithm { return jose.RS256 }
func (k zitadelKey) Use() string                        { return "sig" }
func (k zitadelKey) Key() any                           { return k.private.Public() }

type signingKey struct{ zitadelKey }

func (k signingKey) SignatureAlgorithm() jose.SignatureAlgorithm { return jose.RS256 }
func (k signingKey) Key() any                                    { return k.private }
