// Package model drives the dispatchers of both roles at random and says what they
// should do. It is for tests: property tests, fuzz targets, simulators.
//
// # Parts
//
//   - [Setup] is a configuration of a [session.Machine], a State of either role, and draws
//     itself at random.
//   - [Step] is one verb with its arguments, as data: it can be applied to any number of
//     Machines and written down. After the verb returned, Apply scribbles over every argument.
//   - [Generator] draws steps: messages of the peer, good, bad and hostile, and verbs of
//     the application, with and without misuse.
//   - [Naive] is the same machine over plain slices and linear search, written from the
//     specification, for sessions and for requests without one. It says what a step sends,
//     which events it has, and what it leaves.
//   - [Ledger] watches what goes out and keeps the books: requests that end once, ids,
//     progress, silence after the end.
//   - [Run] ties them together and keeps every past State.
//   - [Pair] joins a client and a server and holds each to what the other may expect.
//   - [Failure] is what does not hold of a session, with the session as a transcript in the
//     form of package transcript. [Print] prints it, after steps that do not matter are left
//     out. Package randomly does so for what rapid finds.
//
// Randomness comes from a [Source]: rapid, math/rand or the bytes of a fuzz target. The
// same Source gives the same run.
package model
