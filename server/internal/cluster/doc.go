// Package cluster has the rules by which processes that share a store share sessions, without I/O: what became of
// a turn whose Put failed (History), how long a process may take itself for alive (Lease), what the store has to know
// of it (Index), who answers a call and reads a stream (Owners), and what is done for a process that has died
// (Takeover). Time is an argument. docs/cluster.md has the rules in words; package nethttp carries them out.
package cluster
