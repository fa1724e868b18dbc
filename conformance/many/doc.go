// Package many runs managers, callers and relays at random with many servers, in virtual
// time, and reports violations. It is for tests, and for command many.
//
// # World
//
// Options determine a run: the same Seed gives the same run. A simple network does the Actions of a
// machine. Each link leads to a process: a real server.State with an application
// that does what its errands ask for, and what its temper makes it do: be slow, fall silent,
// die in the middle of a call, refuse to begin or to end, send garbage, send too much, lose messages,
// change its lists, ask its client. Messages of one link keep their order, those of different links
// do not. Messages of an ended process may still arrive.
//
// # Set-ups
//
//   - manager: a manager.Manager; requests, listings, pings, subscriptions, cancellations,
//     connects and disconnects of all kinds, and misuse.
//   - calls: a calls.Caller; calls and batches of tools of servers and of the program.
//   - relay: several relay.Relays in parallel, each with a real client in front.
//   - cycles: a Manager that connects and loses servers a thousand times.
//
// With Options.Eras each server, and the client of a Relay, has sessions, none or both.
//
// # Invariants
//
// At each step: Check of all machines; everything ends once, by its time, and in the step of
// its answer; every argument, result, progress, request, log message and listed item names
// its owner, and reaches no one else; what must not be repeated is not; links are
// opened once, used while they are open, and closed; after a Tick the next deadline is later;
// a snapshot restores unchanged. At the end nothing remains: no link, no operation, no
// deadline, no unneeded work at a server, no bytes in the snapshot.
//
// Alike compares runs: with restored machines or without, with additional silent servers or
// without, everyone else's history is the same, to the instant.
//
// The tests change the outputs of machines in about thirty ways, and
// check that each violation is reported.
package many
