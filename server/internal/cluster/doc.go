// Package cluster has the rules by which processes that share a store share sessions, without I/O: the outcome of a
// turn whose Put failed (History), how long a process may consider itself alive (Lease), what the store must know of
// it (Index), which process answers a call and reads a stream (Owners), and what to do for a process that has died
// (Takeover). Time is an argument. docs/cluster.md describes the rules; package nethttp applies them.
package cluster
