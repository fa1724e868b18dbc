// Package oauth gets a client a token for an MCP server, without I/O (Authorization page of the
// specification; OAuth 2.1).
//
// A [Flow] is for one principal at one server. Given a refusal by the server, it returns the HTTP requests
// to send, the page that a person must open, or the data that the application must sign. It ends with a
// token or with the reason of the failure.
//
// # Loop
//
// A driver performs the action of each phase until the run ends:
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
//     arguments. An input for another phase changes nothing except the time.
//   - Every run ends: within Config.Patience without a person, Config.Person with one, and 40 requests,
//     if Tick is called at NextDeadline. Between two requests that the server accepts there are at most 3
//     runs.
//   - A token is sent only to the server that it was obtained for. A client secret, a code or a refresh
//     token is sent only to its issuer. No secret is in a url, an error, or a Snapshot without Secrets.
//   - A Flow keeps less than 512 KiB, whatever it receives.
//   - Another process can continue a run: Snapshot and Restore work in every phase.
//   - Urls from documents must be https and in the public network, unless the server itself is on this
//     machine, or Config.Trusted has their host. Drivers must check Reach again when a name is
//     resolved.
//
// # Not promised
//
// The texts of errors, the form of a Snapshot from one release to the next, and the order of parameters.
package oauth
