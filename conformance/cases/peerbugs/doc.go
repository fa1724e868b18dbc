// Package peerbugs shows that bugs which other SDKs had are not ours: each case of the
// catalogue of such reports has a test, named by its number, that runs every input of the
// case on both roles and in every phase where it can come. What has one script only is a
// transcript, in testdata/peerbugs. It has tests only.
package peerbugs
