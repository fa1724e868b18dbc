// Package authservers holds this library against authorization servers of others: the OpenID provider
// of zitadel, and dex. Each is an http.Handler with its own pages, which a scripted
// person fills in. It is a module of its own, as they require much.
//
// Our client logs in there and calls a tool of our server, which verifies its tokens by package server/jwt;
// so do our client and a server of go-sdk behind its own middleware, and the client of go-sdk with its
// own login and our server.
//
// A test has a network of its own, whose connections are pipes, and so virtual time: tokens expire and keys
// are rotated without anybody waiting. Everything above the connections is as it is. The command guarded serves the
// same over sockets, for the clients of others in conformance/interop; gosdklogin is one.
//
// Neither server knows resource (RFC 8707), registers clients, or sends iss: the transcripts of package
// client/oauth and its naive authorization server are about these.
package authservers
