// Package oauth is the authorization of a client without the I/O: how it gets a token for a server of MCP
// (Authorization page of the specification; OAuth 2.1).
//
// A [Flow] is one principal at one server. It takes what the server refused and says which HTTP request to
// make next, which page a person has to open, or what the application has to sign; it ends with a token,
// or says why there is none.
//
// # Loop
//
// A driver does what the phase asks for, until the run is over:
//
//	f = f.Want(now, random, oauth.Need{Status: 401, Challenge: challenge, Used: token})
//	for f.Phase().Running() {
//		switch f.Phase() {
//		case oauth.Requesting: // without cookies, without following redirects
//			f = f.Respond(now, random, do(f.Call())) // or f.Unanswered(now, random)
//		case oauth.Person:
//			show(f.Page().URL)
//			f = f.Returned(now, random, query) // of the request that comes to Config.Redirect
//		case oauth.Asking:
//			f = f.Given(now, random, sign(f.Ask().Data))
//		case oauth.Waiting: // until f.NextDeadline()
//			f = f.Tick(now, random)
//		}
//	}
//	t, ok := f.Token(now)
//
// Package client/oauth/login is such a driver, with a store and a listener for the redirect.
//
// # Contract
//
//   - A Flow is a value: a method returns the next one, and old ones stay valid. Time and randomness are
//     arguments. An input that belongs to another phase changes nothing but the time.
//   - Every run ends: within Config.Patience without a person, Config.Person with one, 40 requests, and 3
//     runs between two requests that the server accepts. Tick at NextDeadline makes it so.
//   - A token goes to the server that it was obtained for, and a secret of a client, a code or a refresh
//     token to the issuer it is of. No secret is in a url, an error, or a Snapshot without Secrets.
//   - Whatever is sent to it, it keeps less than 512 KiB.
//   - A run can be continued elsewhere: Snapshot and Restore work in every phase.
//   - Urls that others name are https and of the public network, unless the server itself is on this
//     machine, or Config.Trusted has their host. Reach has to be checked again when a name is resolved.
//
// # Not promised
//
// The texts of errors, the form of a Snapshot from one release to the next, and the order of parameters.
package oauth
