// Package guard decides what an access token allows: whether it is for this server and still valid,
// and whether it has the scopes that a message needs. It verifies no signature and does no I/O, so
// it works with any token and any transport.
//
// # Loop
//
// A program makes a Guard from a Policy once. A transport has a Verifier check the token of a request,
// which returns an Identity, and asks the Guard twice: before it reads the body, and before it passes
// the message to a server.State:
//
//	g, err := guard.New(guard.Policy{
//		Audience: []string{"https://api.example/mcp"},
//		Base:     []string{"mcp"},
//		Tool:     func(name string, _ jsonrpc.Raw) []string { return needs[name] },
//		Implies:  map[string][]string{"admin": {"read", "write"}},
//	})
//	…
//	if c := g.Check(now, id); c != nil { return answer(headers.Unauthorized(*c)) } // 401
//	…
//	if c := g.Allow(id, m); c != nil { return answer(headers.Unauthorized(*c)) } // 403
//
// Package server/nethttp does this: nethttp.Verified makes an Options.Authenticate from a Verifier
// and a Policy.
//
// # Contract
//
//   - Everything is pure: the same arguments give the same answer, if Policy.Tool does. A Guard may
//     be used by any number of goroutines.
//   - The default is to reject: the zero Guard rejects every Identity, and a Policy rejects tokens
//     for other audiences. More scopes never allow less.
//   - An Identity excludes the token, so that a function cannot pass it on to another server
//     (AUTH-034).
//   - A challenge names the scopes that the operation needs, missing ones first, in at most 4096
//     bytes: so it never grows with a batch, and each new token gets further (AUTH-220).
//   - The name of a tool is read as a server.State reads it.
//
// # Not promised
//
// The texts of descriptions, and the order of scopes of the same kind in a challenge.
package guard
