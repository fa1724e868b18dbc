package authservers

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
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

// Dex returns dex, which runs until ctx ends. Its tokens are JWTs without scopes, for the client that they were issued
// to. It rotates its keys every 6 h, and on Rotate.
func Dex(ctx context.Context, o Options) (*Server, error) {
	issuer, life := o.URL+"/dex", cmp.Or(o.Life, time.Hour)
	log := slog.New(slog.DiscardHandler)
	store := &dexStore{Storage: memory.New(log)}
	const secret = "s e/c+ret"
	errs := []error{
		store.CreateConnector(ctx, storage.Connector{ID: "people", Type: "mockPassword", Name: "people", Config: []byte(`{"username":"ann","password":"pass word"}`)}),
		store.CreateClient(ctx, storage.Client{ID: "machine", Name: "machine", Secret: secret}),
	}
	for _, id := range []string{ClientID, OtherClient} {
		errs = append(errs, store.CreateClient(ctx, storage.Client{ID: id, Name: id, Public: true, RedirectURIs: []string{Redirect}}))
	}
	local := signer.LocalConfig{KeysRotationPeriod: "6h", Algorithm: "ES256"}
	sign, err := local.Open(ctx, store, life, time.Now, log)
	if err = errors.Join(append(errs, err)...); err != nil {
		return nil, err
	}
	s, err := dex.NewServer(ctx, dex.Config{
		Issuer: issuer, Storage: store, Logger: log, Signer: sign, Web: dex.WebConfig{WebFS: web.FS()},
		IDTokensValidFor:   life,
		RefreshTokenPolicy: tokens.NewRefreshStrategy(true, 0, 0, 0, nil),
		PKCE:               authflow.PKCEConfig{Enforce: true, CodeChallengeMethodsSupported: []string{"S256"}},
	})
	if err != nil {
		return nil, err
	}
	return &Server{
		Handler:  s,
		Issuer:   jwt.Issuer{URL: issuer, AnyType: true},
		Scopes:   []string{"openid", "email"},
		Audience: ClientID, Life: life,
		Person:  Person{"ann", "pass word"},
		Machine: oauth.Credentials{Issuer: issuer, ID: "machine", Secret: secret},
		Rotate: func() error {
			err := store.UpdateKeys(ctx, func(k storage.Keys) (storage.Keys, error) {
				k.NextRotation = time.Now()
				return k, nil
			})
			once, end := context.WithCancel(ctx)
			end()
			sign.Start(once) // which checks the time at once
			return err
		},
		Forget: func(_, _ string) error {
			list, err := store.ListRefreshTokens(ctx)
			for _, r := range list {
				err = errors.Join(err, store.DeleteRefresh(ctx, r.ID))
			}
			return err
		},
	}, nil
}

// dexStore is the storage in memory, corrected: its UpdateRefreshToken deadlocks, because its callback reads the
// storage again.
type dexStore struct{ storage.Storage }

// UpdateRefreshToken changes a refresh token.
func (s *dexStore) UpdateRefreshToken(ctx context.Context, id string, update func(storage.RefreshToken) (storage.RefreshToken, error)) error {
	token, err := s.GetRefresh(ctx, id)
	if err != nil {
		return err
	}
	if token, err = update(token); err != nil {
		return err
	}
	return s.Storage.UpdateRefreshToken(ctx, id, func(storage.RefreshToken) (storage.RefreshToken, error) { return token, nil })
}
