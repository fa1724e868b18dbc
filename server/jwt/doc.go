// Package jwt verifies the access tokens of requests to a server: JSON Web Tokens by the keys of
// their issuers, other tokens by introspection. It is a separate module, so that a server without it
// does not depend on a library of cryptography. It does I/O.
//
// # Loop
//
// A program makes a Verifier once, and passes it to package nethttp, which verifies the token of
// each request with it:
//
//	v, err := jwt.New(jwt.Config{Issuers: []jwt.Issuer{{URL: "https://auth.example"}}})
//	…
//	options.Authenticate, err = nethttp.Verified(v, guard.Policy{Audience: []string{"https://mcp.example/mcp"}})
//
// Verify returns who issued the token, whom it represents, and until when it is valid. The
// guard.Policy decides whether it is for this server and has enough scopes: Verify accepts every
// audience.
//
// # Contract
//
// A JSON Web Token passes if all of these hold (AUTH-028):
//
//   - its iss equals the URL of an Issuer, byte for byte;
//   - it is signed by one of the issuer's Algorithms, which are asymmetric: New refuses none and
//     HS*;
//   - a key that the issuer publishes matches its kid and its signature;
//   - its typ is at+jwt (RFC 9068), or it has scopes and does not look like an ID token;
//   - exp has not passed and nbf has, with a tolerance of Leeway;
//   - it has a sub, or a client that acts for itself;
//   - it is not bound to a key (cnf), because no proof is checked here.
//
// Scopes are read from scope, otherwise from scp; either may be a string or a list. The client is
// client_id, otherwise azp. Names of claims are compared exactly. Value of the guard.Identity has all
// claims, as Claims.
//
// Keys come from Issuer.Keys, or from the jwks_uri of the issuer's metadata (RFC 8414, OpenID Connect
// Discovery). They are read when a token needs them, kept for an hour, and read again for a token
// that matches none of them, but at most every 30 seconds. So forged tokens cause no load (SEC-114),
// and a new key is known at most 30 seconds after it is published. Until then its tokens get 503,
// after which a client tries again, and not 401, after which it would discard the token. If the
// issuer does not answer, the previous keys stay valid for one hour more.
//
// An Issuer with Introspection is asked about its tokens (RFC 7662), whatever their form. At most one
// Issuer may have it, because tokens other than JWTs do not name their issuer. Its answers are kept
// for Introspection.Keep, under the SHA-256 of the token. So a revoked token can be used for that
// long, while a JWT that is verified by keys can be used until it expires.
//
// Errors of Verify are *nethttp.AuthError. A token that does not pass gets 401 invalid_token, with a
// description that is safe for a client. If an issuer does not answer, or its answer cannot be read,
// the status is 503: the token may be valid, and its client should keep it.
//
// A token has at most 16 KiB, an answer of an issuer 256 KiB. A request to an issuer takes at most 10
// seconds and follows no redirect. At most 20,000 answers to introspection are kept, and at most 100
// requests for it are under way at a time; beyond that the status is 503.
//
// # Not promised
//
// The texts of errors, and how many requests are made to an issuer that does not answer.
package jwt
