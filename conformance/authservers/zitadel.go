package authservers

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/server/jwt"
)

// Zitadel returns the provider of zitadel/oidc with the pages of its example. Its tokens are JWTs, or opaque. It has
// one new key for Rotate.
func Zitadel(o Options) *Server {
	const secret = "s e/c+ret"
	clients := map[string]*storage.Client{
		ClientID:    storage.NativeClient(ClientID, Redirect),
		OtherClient: storage.NativeClient(OtherClient, Redirect),
		"server":    storage.WebClient("server", secret),
	}
	host, _, _ := strings.Cut(strings.TrimPrefix(o.URL, "http://"), ":")
	store := &zitadelStore{Storage: storage.NewStorageWithClients(storage.NewUserStore(o.URL), clients), opaque: o.Opaque, life: cmp.Or(o.Life, zitadelLife), ends: map[string]time.Time{}}
	_ = store.rotate()
	s := &Server{
		Handler:  exampleop.SetupServer(o.URL, store, slog.New(slog.DiscardHandler), false),
		Issuer:   jwt.Issuer{URL: o.URL},
		Scopes:   []string{"openid", "tools"},
		Needs:    []string{"tools"},
		Audience: ClientID, Life: store.life,
		Person: Person{"test-user@" + host, "verysecure"},
		Rotate: store.rotate,
		Forget: func(client, token string) error {
			a, err := o.Client.PostForm(o.URL+"/revoke", url.Values{"token": {token}, "client_id": {client}})
			if err != nil {
				return err
			}
			defer func() { _ = a.Body.Close() }()
			if a.StatusCode != http.StatusOK {
				return errors.New("revoke: " + a.Status)
			}
			return nil
		},
	}
	if !o.Opaque { // the example does not introspect tokens of other clients
		s.Machine = oauth.Credentials{Issuer: o.URL, ID: "sid1", Secret: "verysecret"}
	} else {
		s.Issuer.Introspection = &jwt.Introspection{Client: "server", Secret: secret}
	}
	return s
}

// zitadelLife is the lifetime of the example's access tokens.
const zitadelLife = 5 * time.Minute

// zitadelStore is the storage of the example, with key rotation and more kinds of clients.
type zitadelStore struct {
	*storage.Storage
	opaque bool
	life   time.Duration // of access tokens

	mu   sync.Mutex
	keys []op.Key             // the last one signs
	ends map[string]time.Time // of access tokens, by their ids
}

func (s *zitadelStore) rotate() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := len(s.keys)
	if i == len(privateKeys()) {
		return errors.New("there is no key left")
	}
	s.keys = append(s.keys, zitadelKey{fmt.Sprint("key", i), privateKeys()[i]})
	return nil
}

// ending sets the expiry of a newly issued token.
func (s *zitadelStore) ending(id string) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ends[id] = time.Now().Add(s.life)
	return s.ends[id]
}

// CreateAccessToken issues a token.
func (s *zitadelStore) CreateAccessToken(ctx context.Context, r op.TokenRequest) (id string, ends time.Time, err error) {
	id, _, err = s.Storage.CreateAccessToken(ctx, r)
	return id, s.ending(id), err
}

// CreateAccessAndRefreshTokens issues a token, and what renews it.
func (s *zitadelStore) CreateAccessAndRefreshTokens(ctx context.Context, r op.TokenRequest, old string) (id, refresh string, ends time.Time, err error) {
	id, refresh, _, err = s.Storage.CreateAccessAndRefreshTokens(ctx, r, old)
	return id, refresh, s.ending(id), err
}

// privateKeys are shared by all tests, since making them is slow.
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

// SetIntrospectionFromToken lets the server introspect tokens of its clients, with their subject.
func (s *zitadelStore) SetIntrospectionFromToken(ctx context.Context, a *oidc.IntrospectionResponse, token, subject, asker string) error {
	s.mu.Lock()
	ends := s.ends[token]
	s.mu.Unlock()
	if !time.Now().Before(ends) {
		return errors.New("the token has expired")
	}
	for _, id := range []string{ClientID, OtherClient} {
		if err := s.Storage.SetIntrospectionFromToken(ctx, a, token, subject, id); err == nil && asker == "server" {
			a.Audience, a.Expiration = oidc.Audience{id}, oidc.FromTime(ends)
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

// GetPrivateClaimsFromScopes adds the scopes to the JWTs.
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
