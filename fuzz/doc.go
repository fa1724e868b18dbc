// Package fuzz holds the native fuzz targets of the module. It has no code but
// its tests. Each target holds one package against an oracle that is written in
// another way, mostly on top of encoding/json, or against what its documentation
// promises. Run one with
//
//	go test ./fuzz -run '^$' -fuzz '^FuzzDecode$' -fuzztime 1m
//
// Inputs that once failed stay in testdata/fuzz, where every plain go test tries
// them.
package fuzz
