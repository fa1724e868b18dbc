// Package relay makes many servers look like one: downstream it answers one client with what the
// servers offer, upstream it is the client of each of them. It does no I/O.
//
// # Loop
//
// A Relay handles what the server.State of the session with the client returns, and owns the sessions
// with the servers: a manager.Manager, and a catalog.Catalog of what they list. The driver keeps the
// Relay and the State. It calls Handle with each Output of the State, and Report with what happens to a
// link. Effects say what to send to the client, and what to do with the links:
//
//	cfg, err := relay.Config{Info: info}.Server(server.Config{Info: info, HashKey: key})
//	d.s, err = server.New(cfg, now)
//	d.r, err = relay.New(relay.Config{Info: info}, servers, now)
//	…
//	s, out := d.s.Receive(now, m)                                // of the client
//	d.r, d.s, eff = d.r.Handle(s, now, out)
//	d.r, d.s, eff = d.r.Report(d.s, now, report)                 // of a link to a server
//	s, out = d.s.Tick(now)                                       // NextDeadline of either has come
//	d.r, d.s, eff = d.r.Handle(s, now, out)
//	d.r, d.s, more = d.r.Tick(d.s, now)
//
// # What passes
//
// Each side has ids, progress tokens, cursors and a log level of its own; the Relay knows which
// belong together. Names of tools and prompts, uris of resources and ids of elicitations are
// translated where two servers could have the same (Config.Naming). All else of params, results and
// errors passes byte for byte, _meta and icons too: in a body that has to change, only that member is
// replaced.
//
// A request of the client goes to the server that has what it names. A request or log message of a
// server goes to the client, on the stream of the call that the server is working on if there is exactly
// one. A custom method goes where Config.Routes says, or to the only server if no Filter restricts it.
//
// A client without a session (2026-07-28) takes no requests. What a server asks within its call becomes
// the result of the call, which is parked: it goes on at the server until the client makes it again with
// the answers. The requestState says which call that is, and is good at this Relay alone: give each a HashKey
// of its own (Manager.Client). docs/eras.md has what crosses between clients and servers of both eras.
//
// The client is answered before any server is known. So instructions and experimental capabilities are
// those of the Config of the session with the client.
//
// # Contract
//
//   - A Relay is never changed; an old one stays valid. Each method returns the next one, with the
//     next State and Effects.
//   - Every request of the client gets one answer, and so does every request of a server, as long as
//     both sessions last. When a link is lost, its calls are answered in the same step.
//   - A name never moves: it stays that of the server that has it until that server no longer lists it
//     or is removed (naming.Policy).
//   - A slow server does not hold up the others. The first list, and a request for a name that no server
//     lists, wait at most Lists.Hold for a server that is starting, and not at all for one that did not
//     come before; its items join later by one list_changed. Its own calls wait for it until Held.Time,
//     and a call that was passed on until Config.CallTimeout.
//   - What a Server.Filter keeps out does not exist for the client, under any of its names.
//   - A list_changed goes out when a list differs from what the client was told, once for changes
//     that follow each other within Lists.Announce.
//   - Bounds: Held for requests that wait, manager.Budget for lists, lifecycle.Limits for subscriptions
//     and for requests on both sides.
//   - Handles of the State are made anew by their numbers in each step, so that a State that was
//     restored meanwhile does.
//
// # Not promised
//
// The wording of errors, and the form of cursors and snapshots.
package relay
