// Package many runs managers, callers and relays at random among many servers, in virtual
// time, and says what does not hold. It is for tests, and for command many.
//
// # World
//
// A run is made of its Options: the same Seed gives the same run. A network does the Actions of a
// machine by naive means. Each link leads to a process: a real server.State with an application
// that does what its errands ask for, and whatever its temper makes it do: be slow, fall silent,
// die in the middle of a call, refuse to begin or to end, say garbage, say too much, lose messages,
// change its lists, ask its client. Messages of one link keep their order, those of different links
// do not. A process that is gone may still be heard.
//
// # Set-ups
//
//   - manager: a manager.Manager; requests, listings, pings, subscriptions, cancellations,
//     connects and disconnects of all kinds, and misuse.
//   - calls: a calls.Caller; calls and batches of tools of servers and of the program.
//   - relay: several relay.Relays side by side, each with a real client in front.
//   - cycles: a Manager that connects and loses a thousand times.
//
// With Options.Eras each server, and the client of a Relay, has sessions, none or both.
//
// # What is held
//
// At each step: Check of all machines; what begins ends once, by its time, and in the step that
// brings its answer; every argument, result, progress, request, log message and listed item says
// whose it is, and nothing reaches anybody else; what is not to be repeated is not; links are
// opened once, used while they are open, and closed; after a Tick the next deadline is later;
// a snapshot comes back as what it was. In the end nothing is left: no link, no operation, no
// deadline, no work at a server that nobody waits for, no bytes in the snapshot.
//
// Alike compares runs: with restored machines or without, with servers in front that say nothing or
// without, everybody else's history is the same, to the instant.
//
// What is there to be found is found: the tests spoil what machines ask for in some thirty ways, and
// see that each is said.
package many
