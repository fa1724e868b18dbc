// Package guard decides what an access token allows: whether it is for this server and still valid,
// and whether it has the scopes that a message needs. It verifies no signatures and does no I/O, so
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
//   - Everything here is total and pure: the same arguments give the same answer, as long as
//     Policy.Tool does. Any number of goroutines may use a Guard.
//   - The default is to refuse: the zero Guard rejects every Identity, and a Policy rejects a
//     token without one of its Audience. More scopes never allow less.
//   - An Identity does not contain the token. So values made from it, such as the Value of a
//     nethttp.Principal, cannot pass the token on to another server (AUTH-034).
//   - A challenge names what the operation needs, first the scopes that the token lacks, in at
//     most 4096 bytes: it does not grow with a batch, and each new token allows more
//     (AUTH-220).
//   - The name of a tool is read as a server.State reads it.
//
// # Not promised
//
// The texts of descriptions, and the order of scopes of the same kind in a challenge.
package guard
