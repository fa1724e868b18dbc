// Package relay makes many servers look like one: downstream it is a server for one client,
// upstream a client of each server. It does no I/O.
//
// # Loop
//
// A Relay handles what the server.State of the session with the client returns, and owns the sessions
// with the servers: a manager.Manager, and a catalog.Catalog of what they list. The driver keeps the
// Relay and the State. It calls Handle with each Output of the State, and Report with what happens to a
// link. Effects have the messages for the client, and the actions on links:
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
// Each side has its own ids, progress tokens, cursors and log level; the Relay maps them. Names of
// tools and prompts, uris of resources and ids of elicitations are translated where two servers could
// have the same (Config.Naming). Everything else in params, results and errors passes byte for byte,
// including _meta and icons: only the translated member is replaced.
//
// A request of the client goes to the server that has the named item. A request or log message of a
// server goes to the client, on the stream of the server's open call if there is exactly one. A custom
// method goes where Config.Routes says, or to the only server if no Filter restricts it.
//
// A client without a session (2026-07-28) accepts no requests. A question of a server becomes the result of
// the call, which is parked: it continues at the server until the client retries with the answers. The
// requestState identifies the call, and is valid only at this Relay: give each its own HashKey
// (Manager.Client). docs/eras.md lists what passes between clients and servers of both eras.
//
// The client gets its answer before any server is known. So instructions and experimental capabilities
// come from the Config of the session with the client.
//
// # Contract
//
//   - A Relay is immutable; old ones stay valid. Each method returns the next one, with the next
//     State and Effects.
//   - Every request of the client gets one answer, and so does every request of a server, as long as
//     both sessions last. When a link is lost, its calls are answered in the same step.
//   - A name belongs to its server until that server no longer lists it or is removed (naming.Policy).
//   - A slow server does not delay the others. The first list, and a request for a name that no server
//     lists, wait at most Lists.Hold for a starting server, and not for one that did not start in time
//     before; its items are added later by one list_changed. Its own calls wait for it until Held.Time,
//     and forwarded calls until Config.CallTimeout.
//   - Items that a Server.Filter hides do not exist for the client, under any name.
//   - A list_changed is sent when a list differs from the one the client got, once for changes
//     within Lists.Announce.
//   - Bounds: Held for requests that wait, manager.Budget for lists, lifecycle.Limits for subscriptions
//     and for requests on both sides.
//   - Each step makes handles of the State from their numbers, so a restored State works too.
//
// # Not promised
//
// The wording of errors, and the form of cursors and snapshots.
package relay
