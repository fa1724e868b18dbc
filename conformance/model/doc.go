// Package model drives the machines of both roles at random and says what they
// should do. It is for tests: property tests, fuzz targets, simulators.
//
// # Parts
//
//   - [Setup] is a configuration of a [verbs.Machine], a State of either role, and can be
//     drawn at random.
//   - [Step] is one verb with its arguments, as data: it can be applied to any number of
//     Machines and recorded. After the verb returns, Apply overwrites every argument.
//   - [Generator] draws steps: valid, invalid and hostile messages of the peer, and verbs of
//     the application, with and without misuse.
//   - [Naive] is the same machine with plain slices and linear search, written from the
//     specification, for sessions and for requests without one. It says what a step sends,
//     its events, and the state after it.
//   - [Ledger] records what is sent and checks it: requests that end once, ids,
//     progress, silence after the end.
//   - [Run] combines them and keeps every past State.
//   - [Pair] joins a client and a server and compares each with what the other may expect.
//   - [Failure] is a violated property of a session, with the session as a transcript in the
//     form of package transcript. [Print] prints it without irrelevant
//     steps. Package randomly does so for failures that rapid finds.
//
// Randomness comes from a [Source]: rapid, math/rand or the bytes of a fuzz target. The
// same Source gives the same run.
package model
