// Package relay makes many servers look like one: it is the server of one client, and the client of
// each server. It does no I/O.
//
// # Loop
//
// A Relay handles what the server.State of the session with the client returns, and owns the sessions
// with the servers: a manager.Manager, and a catalog.Catalog of their lists. The driver keeps the Relay
// and the State. It calls Handle with each Output of the State, and Report with each event of a link.
// Effects say what to send to the client, and what to do with the links:
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
// # Forwarding
//
// Each side has its own ids, progress tokens, cursors and log level; the Relay maps them. Names of
// tools and prompts, uris of resources and ids of elicitations are translated where two servers could
// have the same (Config.Naming). Everything else in params, results and errors is forwarded byte for
// byte, including _meta and icons: if a body must change, only that member is replaced.
//
// A client's request goes to the server that has the named item. A server's request or log message goes
// to the client, on the stream of the call that the server is working on if there is exactly one. A
// custom method goes where Config.Routes says, or to the only server if no Filter restricts it.
//
// A client without a session (2026-07-28) accepts no requests. A server's question within a call becomes the
// result of the call, which is parked: it continues at the server until the client repeats it with the
// answers. The requestState identifies the call, and is valid at this Relay only: give each Relay its own
// HashKey (Manager.Client). docs/eras.md explains what passes between clients and servers with and without
// sessions.
//
// The client is answered before any server is known. So instructions and experimental capabilities are
// those in the Config of the session with the client.
//
// # Contract
//
//   - A Relay never changes; an old one stays valid. Each method returns the next one, with the
//     next State and Effects.
//   - Every request of the client gets one answer, and so does every request of a server, as long as
//     both sessions last. When a link is lost, its calls are answered in the same step.
//   - A name never changes its server: it belongs to its server until that no longer lists it or is
//     removed (naming.Policy).
//   - A slow server does not delay the others. The first list, and a request for a name that no server
//     lists, wait at most Lists.Hold for a server that is starting, and not at all for one that did not
//     start in an earlier session; its items are announced later by one list_changed. Its own calls wait
//     for it until Held.Time, and a forwarded call until Config.CallTimeout.
//   - An item that a Server.Filter excludes does not exist for the client, under any of its names.
//   - A list_changed is sent when a list differs from the client's last version, once for changes
//     that follow each other within Lists.Announce.
//   - Bounds: Held for waiting requests, manager.Budget for lists, lifecycle.Limits for subscriptions
//     and for requests on both sides.
//   - Handles of the State are made again from their numbers in each step, so the State may be
//     restored between steps.
//
// # Not promised
//
// The wording of errors, and the form of cursors and snapshots.
package relay
