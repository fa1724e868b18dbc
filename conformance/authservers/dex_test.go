package authservers

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	dex "github.com/dexidp/dex/server"
	"github.com/dexidp/dex/server/authflow"
	"github.com/dexidp/dex/server/signer"
	"github.com/dexidp/dex/server/tokens"
	"github.com/dexidp/dex/storage"
	"github.com/dexidp/dex/storage/memory"
	"github.com/dexidp/dex/web"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/server/jwt"
)

// startDex starts dex. Its tokens are JWTs without scopes, for the client that they were issued to.
func startDex(t *testing.T, n *network) authServer {
	const host = "127.0.0.1:5556"
	issuer := "http://" + host + "/dex"
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	store := dexStore{memory.New(log)}
	must(t, store.CreateConnector(ctx, storage.Connector{ID: "people", Type: "mockPassword", Name: "people", Config: []byte(`{"username":"ann","password":"pass word"}`)}))
	for _, id := range []string{clientID, otherClient} {
		must(t, store.CreateClient(ctx, storage.Client{ID: id, Name: id, Public: true, RedirectURIs: []string{redirect}}))
	}
	const secret = "s e/c+ret"
	must(t, store.CreateClient(ctx, storage.Client{ID: "machine", Name: "machine", Secret: secret}))
	local := signer.LocalConfig{KeysRotationPeriod: "6h", Algorithm: "ES256"}
	sign, err := local.Open(ctx, store, time.Hour, time.Now, log)
	must(t, err)
	s, err := dex.NewServer(ctx, dex.Config{
		Issuer: issuer, Storage: store, Logger: log, Signer: sign, Web: dex.WebConfig{WebFS: web.FS()},
		IDTokensValidFor:   time.Hour,
		RefreshTokenPolicy: tokens.NewRefreshStrategy(true, 0, 0, 0, nil),
		PKCE:               authflow.PKCEConfig{Enforce: true, CodeChallengeMethodsSupported: []string{"S256"}},
	})
	must(t, err)
	n.serve(t, host, s)
	return authServer{
		issuer:   jwt.Issuer{URL: issuer, AnyType: true},
		scopes:   []string{"openid", "email"},
		audience: clientID, life: time.Hour,
		person:  person{n.browser(), "ann", "pass word"},
		machine: oauth.Client{Issuer: issuer, ID: "machine", Secret: secret},
		rotate:  func() { time.Sleep(6*time.Hour + time.Minute) },
		forget: func(string) {
			list, err := store.ListRefreshTokens(ctx)
			must(t, err)
			for _, r := range list {
				must(t, store.DeleteRefresh(ctx, r.ID))
			}
		},
	}
}

// dexStore is the storage in memory, whose UpdateRefreshToken locks itself out: what it calls reads the
// storage again.
type dexStore struct{ storage.Storage }

// UpdateRefreshToken changes a refresh token.
func (s dexStore) UpdateRefreshToken(ctx context.Context, id string, update func(storage.RefreshToken) (storage.RefreshToken, error)) error {
	token, err := s.GetRefresh(ctx, id)
	if err != nil {
		return err
	}
	if token, err = update(token); err != nil {
		return err
	}
	return s.Storage.UpdateRefreshToken(ctx, id, func(storage.RefreshToken) (storage.RefreshToken, error) { return token, nil })
}
