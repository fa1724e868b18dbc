package jwt

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server/guard"
	"github.com/sansmcp/mcp/server/nethttp"
)

// Config are the settings of New.
type Config struct {
	// Issuers are whose tokens pass. At least one.
	Issuers []Issuer
	// Leeway is how far the clocks of issuers may differ from that of this machine. Default 30 s;
	// lifecycle.NoTimeout allows none.
	Leeway time.Duration
	// Client makes the requests to issuers. It is copied; the copy follows no redirect, and has a
	// Timeout of 10 s if there is none. Default a Client without cookies.
	Client *http.Client
}

// defaultLeeway is the default of Config.Leeway.
const defaultLeeway = 30 * time.Second

// Issuer is an authorization server whose tokens pass.
type Issuer struct {
	// URL is the issuer's identifier, as the iss of its tokens says it: https, or http on a loopback
	// address.
	URL string
	// Keys is the URL of its keys (jwks_uri). Default what its metadata says.
	Keys string
	// Algorithms are those that may sign a token: RS, PS and ES with 256, 384 or 512, and EdDSA. Default
	// all of these.
	Algorithms []string
	// AnyType accepts JWTs that have neither the typ at+jwt nor scopes, as the access tokens of some
	// servers do, dex and the provider of zitadel/oidc among them. ID tokens of this issuer pass then too.
	AnyType bool
	// Introspection, if set, asks the issuer about each token instead of verifying it by Keys.
	Introspection *Introspection
}

// Introspection is how an issuer is asked about a token (RFC 7662).
type Introspection struct {
	// Endpoint is where to ask. Default what the issuer's metadata says.
	Endpoint string
	// Client and Secret are this server's own at the issuer, sent by HTTP Basic. An empty Client sends
	// none.
	Client, Secret string
	// Keep is how long an answer is kept. A revoked token passes until then. Default 10 s;
	// lifecycle.NoTimeout keeps none.
	Keep time.Duration
}

// defaultKeep is the default of Introspection.Keep.
const defaultKeep = 10 * time.Second

// maxToken is how long a token may be, in bytes.
const maxToken = 16 << 10

// verifier is the nethttp.Verifier of a Config.
type verifier struct {
	issuers map[string]*issuer
	opaque  *issuer // who is asked about tokens that name no issuer, or nil
	leeway  time.Duration
}

// issuer is an Issuer, and what is known of it by now.
type issuer struct {
	url     string
	anyType bool
	keys    *keys
	asker   *asker // nil without Introspection
}

// New returns a Verifier that any number of goroutines may use, or a *lifecycle.ConfigError. It makes no requests.
func New(c Config) (nethttp.Verifier, error) {
	var f lifecycle.Filler
	f.Time("Leeway", &c.Leeway, defaultLeeway, lifecycle.MayBeNone)
	c.Leeway = max(c.Leeway, 0)
	if len(c.Issuers) == 0 {
		f.Wrong("Issuers", "empty", "want at least one")
	}
	v := &verifier{issuers: make(map[string]*issuer, len(c.Issuers)), leeway: c.Leeway}
	client := requester(c.Client)
	for i, is := range c.Issuers {
		field := "Issuers[" + strconv.Itoa(i) + "]."
		checkURL(&f, field+"URL", is.URL, "")
		if v.issuers[is.URL] != nil {
			f.Wrong(field+"URL", is.URL, "want each issuer once")
		}
		s := &site{issuer: is.URL, client: client}
		entry := &issuer{url: is.URL, anyType: is.AnyType}
		if is.Keys != "" {
			checkURL(&f, field+"Keys", is.Keys, is.URL)
		}
		entry.keys = &keys{site: s, url: is.Keys, algorithms: algorithms(&f, field, is.Algorithms), leeway: c.Leeway}
		if in := is.Introspection; in != nil {
			keep := in.Keep
			f.Time(field+"Introspection.Keep", &keep, defaultKeep, lifecycle.MayBeNone)
			if in.Endpoint != "" {
				checkURL(&f, field+"Introspection.Endpoint", in.Endpoint, is.URL)
			}
			if v.opaque != nil {
				f.Wrong(field+"Introspection", "set", "want it at one issuer only: an opaque token does not name its issuer")
			}
			entry.asker = &asker{site: s, endpoint: in.Endpoint, client: in.Client, secret: in.Secret, keep: keep}
			v.opaque = entry
		}
		v.issuers[is.URL] = entry
	}
	if err := f.Err("jwt"); err != nil {
		return nil, err
	}
	return v, nil
}

// Verify returns whose token it is, for a request that brings it. The error is a *nethttp.AuthError.
func (v *verifier) Verify(ctx context.Context, token string, _ *http.Request) (guard.Identity, error) {
	now := time.Now()
	if len(token) > maxToken {
		return guard.Identity{}, refused("the token is too long", nil)
	}
	head, unverified, isJWT := peek(token)
	is := v.opaque
	if isJWT {
		is = v.issuers[unverified.text("iss")]
	}
	if is == nil {
		return guard.Identity{}, refused("the token is of no issuer that is known here", nil)
	}
	var claims Claims
	var err error
	if is.asker != nil {
		claims, err = is.asker.ask(ctx, token)
	} else if claims, err = is.keys.verify(ctx, token, head, unverified); err == nil && !is.anyType && !accessToken(head, claims) {
		err = refused("not an access token", nil)
	}
	if err != nil {
		return guard.Identity{}, err
	}
	return identity(claims, is, now, v.leeway)
}

// refused returns the error for a token that does not pass: description is for the client, err for
// the log.
func refused(description string, err error) error {
	return &nethttp.AuthError{Code: "invalid_token", Description: description, Err: err}
}

// unavailable returns the error for a token of which nothing is known, as its issuer does not say it.
func unavailable(err error) error {
	return &nethttp.AuthError{Status: http.StatusServiceUnavailable, Err: err}
}

// isUnavailable reports whether the error is one of unavailable.
func isUnavailable(err error) bool {
	var e *nethttp.AuthError
	return errors.As(err, &e) && e.Status == http.StatusServiceUnavailable
}

// signers are the algorithms that may sign a token. With the others, any party that can verify can also forge.
var signers = []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}

func algorithms(f *lifecycle.Filler, field string, list []string) []string {
	if len(list) == 0 {
		return signers
	}
	for _, alg := range list {
		if !slices.Contains(signers, alg) {
			f.Wrong(field+"Algorithms", alg, "want some of "+strings.Join(signers, " "))
		}
	}
	return slices.Clone(list)
}
