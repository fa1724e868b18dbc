// Package jwt verifies the access tokens that a server is called with: JSON Web Tokens by the keys of
// their issuers, other tokens by introspection. It is a module of its own, so that a server without
// it depends on no library of cryptography. It does I/O.
//
// # Loop
//
// A program makes a Verifier once, and gives it to package nethttp, which has it verify the token of
// each request:
//
//	v, err := jwt.New(jwt.Config{Issuers: []jwt.Issuer{{URL: "https://auth.example"}}})
//	…
//	options.Authenticate, err = nethttp.Verified(v, guard.Policy{Audience: []string{"https://mcp.example/mcp"}})
//
// Verify says who the token is from, for whom, and until when. Whether it is for this server, and
// whether its scopes suffice, the guard.Policy decides: Verify accepts every audience.
//
// # Contract
//
// A JSON Web Token passes if all of this holds (AUTH-028):
//
//   - its iss is the URL of an Issuer, byte for byte;
//   - one of the issuer's Algorithms signed it, which are asymmetric: New refuses none and HS*;
//   - a key that the issuer publishes fits its kid and its signature;
//   - its typ is at+jwt (RFC 9068), or it has scopes and does not look like an ID token;
//   - exp is not over and nbf has come, give or take Leeway;
//   - it has a sub, or a client that speaks for itself;
//   - it is bound to no key (cnf), because no proof is checked here.
//
// Scopes are read from scope, else from scp; either may be a text or a list. The client is client_id,
// else azp. Names of claims are compared exactly. Value of the guard.Identity has all claims, as Claims.
//
// Keys come from Issuer.Keys, or from the jwks_uri of the issuer's metadata (RFC 8414, OpenID Connect
// Discovery). They are read when a token needs them, kept for an hour, and read again for a token
// that fits none of them, but not more often than every 30 seconds. So forged tokens make no load
// (SEC-114), and a new key is known 30 seconds after it is published at the latest. Until then its
// tokens are answered 503, which a client repeats, and not 401, which would cost it the token. If
// the issuer does not answer, the keys of the hour before serve for one hour more.
//
// An Issuer with Introspection is asked about its tokens (RFC 7662), whatever their form. At most one
// Issuer has it: tokens that are no JWTs do not name an issuer. What it says is kept for
// Introspection.Keep, under the SHA-256 of the token. So a revoked token can be used for that long,
// while a JWT that is verified by keys can be used until it expires.
//
// Errors of Verify are *nethttp.AuthError. A token that does not pass is 401 invalid_token, with a
// description that tells a client what it may know. If an issuer does not answer, or answers with what
// cannot be read, it is 503: the token may be good, and its client should keep it.
//
// A token is at most 16 KiB long, an answer of an issuer 256 KiB. A request to an issuer takes at most
// 10 seconds and follows no redirect. At most 20,000 answers to introspection are kept, and 100
// requests for it made at a time; one more is 503.
//
// # Not promised
//
// The texts of errors, and how many requests are made to an issuer that does not answer.
package jwt
