// Package fuzz holds the native fuzz targets of the module. It has no code but
// its tests. Each target holds one package against an oracle that is written in
// another way, mostly on top of encoding/json, or against what its documentation
// promises. Run one with
//
//	go test ./fuzz -run '^$' -fuzz '^FuzzDecode$' -fuzztime 1m -fuzzminimizetime 5x
//
// Without the last flag most of the time goes by with making inputs small.
//
// testdata/fuzz has the inputs from which each run starts, and which every plain go
// test tries: those that go run ./conformance/cmd/corpus chose, and those that once
// failed. A line of the streams for the States that begins with a byte from 128 on
// stands for a whole message, so that a change of a byte leads to another session
// and not to another syntax error.
//
// An input for States that fails under plain go test prints its session as a transcript, for
// conformance/testdata: see package transcript.
package fuzz
