// Package relay puts one server in front of many: downstream it answers one client out of what
// any number of servers offer, upstream it is the client of each of them. It does no I/O.
//
// # Loop
//
// A Relay stands beside the server.State of the session with the client, and owns the sessions
// with the servers: a manager.Manager, and a catalog.Catalog of what they list. The driver keeps both values, hands each Output of the
// State to Handle, and what happens to a connection to Report. Effects say what to send to the
// client, and what to do with the connections:
//
//	cfg, err := relay.Config{Info: info}.Server(server.Config{Info: info, HashKey: key})
//	d.s, err = server.New(cfg, now)
//	d.r, err = relay.New(relay.Config{Info: info}, servers, now)
//	…
//	s, out := d.s.Receive(now, m)                                // of the client
//	d.r, d.s, eff = d.r.Handle(s, now, out)
//	d.r, d.s, eff = d.r.Report(d.s, now, report)                 // of a connection to a server
//	s, out = d.s.Tick(now)                                       // NextDeadline of either has come
//	d.r, d.s, eff = d.r.Handle(s, now, out)
//	d.r, d.s, more = d.r.Tick(d.s, now)
//
// # What passes
//
// Each side has ids, progress tokens, cursors and a log level of its own; the Relay knows which
// belong together. Names of tools and prompts, uris of resources and ids of elicitations are
// translated where two servers could have the same (Config.Naming). All else of
// params, results and errors passes byte for byte, _meta and icons too: of a body that has to
// change only the member that changes is replaced.
//
// A request of the client goes to the server that has what it names. What a server asks goes to
// the client, on the stream of the call that it is working on if there is exactly one, and so do
// its log messages. A custom method goes where Config.Routes says, or to the only server there is if
// no Filter restricts it.
//
// What a session begins with does not pass, for the client is answered before any server is
// known: instructions, experimental capabilities and the names of the servers are those of the
// Config of the session with the client.
//
// # Contract
//
//   - A Relay is never changed; an old one stays valid. Each method returns the next one, with the
//     State and what is to be done.
//   - Every request of the client ends by one answer, and every request of a server too, as long
//     as both sides last. When a server is lost, its calls are answered in the same step.
//   - A name never moves: it stays that of the server that has it until that lists it no more or is
//     removed (naming.Policy).
//   - A server costs the others nothing. The first list, and a request for what nobody lists, waits
//     for a server that is on its way for Lists.Hold at most, and for one that hung before not at all;
//     what it has joins later by one list_changed. Its own calls wait for it until Held.Time, and a
//     call that was passed on until Config.CallTimeout.
//   - What a Server.Filter keeps out does not exist for the client, under any of its names.
//   - A list_changed goes out when a list differs from what the client was told, once for changes
//     that follow each other within Lists.Announce.
//   - What waits is bounded in number and bytes (Held), and so is what is kept of lists
//     (manager.Budget), of subscriptions and of requests on both sides (lifecycle.Limits).
//   - Handles of the State are made anew by their numbers in each step, so that a State that was
//     restored meanwhile does.
//
// # Not promised
//
// The wording of errors, and the form of cursors and snapshots.
package relay
