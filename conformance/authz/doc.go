// Package authz is a world of naive authorization servers and protected resources, only for tests.
// It follows the rules strictly: PKCE by S256, exact redirect uris, codes that work
// once, refresh tokens that rotate, tokens bound to their resource. Lies change single answers.
//
// A World has no clock, no goroutine and no network: Serve is a function of a request and a time.
// It records each request and each token, and Misplaced reports secrets at an origin that
// they do not belong to. Handler serves a World over a loopback address.
package authz
