// Package peerbugs shows that this library does not have bugs of other SDKs: each case of the
// catalogue of such reports has a test, named by its number, that runs every input of the
// case on both roles and in every possible phase. Cases with a single script are
// transcripts, in testdata/peerbugs. It has only tests.
package peerbugs
