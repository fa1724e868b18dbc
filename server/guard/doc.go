// Package guard decides what an access token allows: whether it is for this server and still valid,
// and whether it has the scopes that a message needs. It verifies no signature and does no I/O, so
// that it goes with any token and any transport.
//
// # Loop
//
// A program makes a Guard of a Policy once. A transport has a Verifier check the token of a request,
// which gives an Identity, and asks the Guard twice: before it reads the body, and before it hands the
// message to a server.State:
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
// Package server/nethttp does so: nethttp.Verified makes an Options.Authenticate of a Verifier and a
// Policy.
//
// # Contract
//
//   - Everything here is total, and pure: the same arguments give the same answer, as long as
//     Policy.Tool does. A Guard may be used by any number of goroutines.
//   - What is not said is not allowed: the zero Guard rejects every Identity, and so does a Policy
//     whose Audience none of the token's is. More scopes never allow less.
//   - An Identity has no token. What is made of it, as the Value of a nethttp.Principal, can pass none
//     on to another server (AUTH-034).
//   - A challenge names what the operation needs, those scopes first that the token lacks, in at most
//     4096 bytes: so it never grows with a batch, and each new token comes further (AUTH-220).
//   - The name of a tool is read as a server.State reads it.
//
// # Not promised
//
// The texts of descriptions, and the order of scopes of a kind in a challenge.
package guard
