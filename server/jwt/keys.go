package jwt

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

// readAgain is how long keys that were read are not read again, whatever tokens come (SEC-114).
const readAgain = 30 * time.Second

// keys verify signatures by the keys that an issuer publishes. A RemoteKeySet fetches them once for
// each token that it has no key for; as its http.RoundTripper, keys give it the last answer
// again where it asks too often.
type keys struct {
	site       *site
	url        string // "" for what the metadata says
	algorithms []string
	leeway     time.Duration

	mu       sync.Mutex
	set, old *oidc.RemoteKeySet // old until set has keys: for when the issuer does not answer
	renew    time.Time          // when set becomes old, so that keys that the issuer took back go

	gate       sync.Mutex
	body       []byte
	known      map[string]bool // the kids in body
	err        error
	read, next time.Time // when body was asked for, and when it may be again
}

// verify returns the claims of a token if a key of the issuer signed it.
func (k *keys) verify(ctx context.Context, token string, head header, unverified Claims) (Claims, error) {
	set, old := k.sets(time.Now())
	claims, err := k.signed(ctx, set, token)
	if isUnavailable(err) && old != nil {
		return k.signed(ctx, old, token)
	}
	if old != nil && !isUnavailable(err) {
		k.mu.Lock()
		if k.old == old {
			k.old = nil
		}
		k.mu.Unlock()
	}
	if errors.Is(err, errUnsigned) && k.tooNew(head, unverified) {
		err = unavailable(fmt.Errorf("jwt: issuer %s: a key that is newer than the keys read here may have signed the token", k.site.issuer))
	}
	return claims, err
}

// sets returns what to verify with, and what to verify with if that cannot be had.
func (k *keys) sets(now time.Time) (set, old *oidc.RemoteKeySet) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !now.Before(k.renew) {
		ctx := oidc.ClientContext(context.Background(), &http.Client{Transport: k})
		k.old, k.set, k.renew = k.set, oidc.NewRemoteKeySet(ctx, k.site.issuer), now.Add(keepDocument)
	}
	return k.set, k.old
}

// signed returns the claims of a token if a key of the set signed it.
func (k *keys) signed(ctx context.Context, set oidc.KeySet, token string) (Claims, error) {
	witness := &witness{KeySet: set}
	t, err := oidc.NewVerifier("", witness, &oidc.Config{
		SupportedSigningAlgs: k.algorithms, SkipClientIDCheck: true, SkipExpiryCheck: true, SkipIssuerCheck: true,
	}).Verify(ctx, token)
	switch {
	case witness.err != nil && strings.HasPrefix(witness.err.Error(), "fetching keys"):
		return nil, unavailable(witness.err)
	case witness.err != nil:
		return nil, refused("no key of the issuer signed the token", errUnsigned)
	case err != nil:
		return nil, refused("the token cannot be read", err)
	}
	var claims Claims
	if err := t.Claims(&claims); err != nil {
		return nil, refused("the token cannot be read", err)
	}
	return claims, nil
}

var errUnsigned = errors.New("jwt: no key that is known signed the token")

// witness is a KeySet that remembers its error, of which a Verifier keeps the text alone.
type witness struct {
	oidc.KeySet
	err error
}

// VerifySignature returns the payload of a token, and remembers the error.
func (w *witness) VerifySignature(ctx context.Context, token string) (payload []byte, err error) {
	payload, w.err = w.KeySet.VerifySignature(ctx, token)
	return payload, w.err
}

// tooNew reports whether a token that no key fits names one that is not known, and says that it was
// issued after the keys were read: the issuer may have published its key since.
func (k *keys) tooNew(head header, unverified Claims) bool {
	issued, err := unverified.seconds("iat")
	k.gate.Lock()
	defer k.gate.Unlock()
	return err == nil && head.Kid != "" && !k.known[head.Kid] && issued.Add(k.leeway).After(k.read)
}

// RoundTrip answers with the keys of the issuer, whatever the request. It is called by RemoteKeySets,
// on goroutines of theirs.
func (k *keys) RoundTrip(r *http.Request) (*http.Response, error) {
	k.gate.Lock()
	defer k.gate.Unlock()
	if now := time.Now(); !now.Before(k.next) {
		if k.body, k.err = k.fetch(r.Context()); k.err == nil {
			k.read, k.next, k.known = now, now.Add(readAgain), kids(k.body)
		} else {
			k.next = now.Add(retryAfter)
		}
	}
	if k.err != nil {
		return nil, k.err
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(k.body)), Request: r}, nil
}

// kids returns the kids of a key set.
func kids(body []byte) map[string]bool {
	var set struct {
		Keys []struct {
			Kid string `json:"kid"`
		} `json:"keys"`
	}
	_ = json.Unmarshal(body, &set) // a RemoteKeySet says what is wrong with it
	known := make(map[string]bool, len(set.Keys))
	for _, key := range set.Keys {
		known[key.Kid] = true
	}
	return known
}

func (k *keys) fetch(ctx context.Context) ([]byte, error) {
	url := k.url
	if url == "" {
		doc, err := k.site.metadata(ctx)
		if err == nil {
			url, err = k.site.endpoint("jwks_uri", doc.Keys)
		}
		if err != nil {
			return nil, err
		}
	}
	status, body, err := k.site.get(ctx, url)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("jwt: issuer %s: keys: status %d", k.site.issuer, status)
	}
	return body, err
}
