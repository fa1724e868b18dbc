// Package jwt verifies access tokens: JSON Web Tokens by the keys of their issuers, other tokens by
// introspection. It is a separate module, so that other servers do not depend on a JWT library. It
// does I/O.
//
// # Loop
//
// A program makes a Verifier once, and passes it to package nethttp, which verifies the token of
// each request:
//
//	v, err := jwt.New(jwt.Config{Issuers: []jwt.Issuer{{URL: "https://auth.example"}}})
//	…
//	options.Authenticate, err = nethttp.Verified(v, guard.Policy{Audience: []string{"https://mcp.example/mcp"}})
//
// Verify returns issuer, subject and expiry of the token. The guard.Policy checks audience and
// scopes: Verify accepts every audience.
//
// # Contract
//
// A JSON Web Token passes if (AUTH-028):
//
//   - its iss is the URL of an Issuer, byte for byte;
//   - one of the issuer's Algorithms signed it, which are asymmetric: New refuses none and HS*;
//   - a published key of the issuer matches its kid and its signature;
//   - its typ is at+jwt (RFC 9068), or it has scopes and does not look like an ID token;
//   - exp is in the future and nbf in the past, within Leeway;
//   - it has a sub, or a client acting for itself;
//   - it is not bound to a key (cnf), because proofs are not checked.
//
// Scopes come from scope, otherwise from scp; either may be a text or a list. The client is client_id,
// otherwise azp. Names of claims are compared exactly. Value of the guard.Identity has all claims, as
// Claims.
//
// Keys come from Issuer.Keys, or from the jwks_uri of the issuer's metadata (RFC 8414, OpenID Connect
// Discovery). They are read when a token needs them, kept for an hour, and read again for a token
// that matches none of them, at most every 30 seconds. So forged tokens cause no load (SEC-114), and
// a new key is known at most 30 seconds after it is published. Until then its tokens get 503, which a
// client retries, and not 401, which would make it discard the token. If the issuer does not answer,
// old keys stay valid for one more hour.
//
// For an Issuer with Introspection all tokens are verified by a request (RFC 7662). At most one
// Issuer can have it, because opaque tokens do not name an issuer. The answer is cached for
// Introspection.Keep, under the SHA-256 of the token. So a revoked token can be used for that long,
// while a JWT that is verified by keys can be used until it expires.
//
// Errors of Verify are *nethttp.AuthError. A token that does not pass is 401 invalid_token, with a
// description for the client. If an issuer gives no readable answer, it is 503: the token may be
// valid, and its client should keep it.
//
// A token has at most 16 KiB, an answer of an issuer 256 KiB. A request to an issuer takes at most 10
// seconds and follows no redirect. At most 20,000 answers of introspection are cached, and 100
// requests are open at a time; more get 503.
//
// # Not promised
//
// The texts of errors, and the number of requests to an issuer that does not answer.
package jwt
