// Package authservers tests this library with authorization servers of other projects: the OpenID provider
// of zitadel, and dex. Each is an http.Handler with its own pages, which a scripted
// person fills in. It is a separate module because of their many dependencies.
//
// Our client logs in there and calls a tool of our server, which verifies its tokens by package server/jwt;
// so do our client and a server of go-sdk with its own middleware, and the client of go-sdk with its
// own login and our server.
//
// A test has its own network, whose connections are pipes, and so virtual time: tokens expire and keys
// are rotated without waiting. Everything above the connections is unchanged. The command guarded serves the
// same over sockets, for other clients in conformance/interop; gosdklogin is one.
//
// Neither server supports resource (RFC 8707), registers clients, or sends iss: the transcripts of package
// client/oauth and its naive authorization server cover these.
package authservers
