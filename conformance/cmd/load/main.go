// Command load runs sessions of client/remote against server/nethttp, in one process and
// over loopback, through a proxy that cuts connections, and checks that every call ends
// exactly once at both ends, and that goroutines and memory return to their former level:
//
//	go run ./conformance/cmd/load                           # cuts anywhere
//	go run ./conformance/cmd/load -resumable -cuts 0.3      # cuts that lose nothing: no call may fail
//	go run ./conformance/cmd/load -handlers 3 -sessions 100 # three handlers that share the sessions
//	go run -race ./conformance/cmd/load -hang 5m            # with the race detector, in a few minutes
//
// It exits non-zero, and reports the faults, if there are any. The seed determines the
// calls and the cuts, but not the order of events.
//
// # Calls
//
// Each call has its number in its arguments, in its log messages, in the server's question
// and in its result, so that misdirected ones are noticed. The kinds: quick; noted, with
// progress and log messages; asking, with sampling at the client; slow, which outlive
// connections; bulk, with a large result; stopped, which the client cancels; polled,
// whose connection the server closes so that the client reconnects; told, after
// which a message is sent on the GET stream; and ended, with which the server forgets the
// session, so that the client begins another.
//
// # Cuts
//
// A proxy passes requests and answers on and cuts an exchange by its fate: before the
// request or in it, before the answer, in its head, after an event, or after a time; by a
// reset or an end, at once or after a pause. Other connections are delayed
// or read slowly. Some clients leave their session without DELETE.
//
// # Checks
//
// The function of a call begins at most once and ends as often; its client gets one result or
// one failure; a result belongs to its call, whose log messages have all arrived, once each, and
// whose progress is in order. A call may fail if a cut can have lost it, and with a
// session that the server forgot; with -resumable only for the latter, and no message
// on a GET stream is missing. No message violates the protocol, nothing takes longer
// than -hang. A session without a client is forgotten. At the end there are no more goroutines than before, and
// at most 1 MiB and 512 bytes for each session more heap.
//
// # A run
//
//	$ load -cuts 0.1 -seed 4 -hang 4m, built with -race, on two cores that others used as well
//	seed 4, revision 2025-11-25
//	1000 sessions, 20000 calls in 2m4.91s, 160 a second
//	  quick           9133
//	  noted           2244
//	  asking          2175
//	  slow            1366
//	  bulk             941
//	  stopped          968
//	  polled          1508
//	  told            1498
//	  ended            167
//	17513 results, 2487 failures
//	      968 × given up
//	     1204 × response lost
//	      315 × transport lost
//	68 beginnings of sessions failed, 0 ends
//	6986 connections, 30861 exchanges
//	  unsent           385 cut
//	  partly           352 cut
//	  unanswered       362 cut
//	  headless         374 cut
//	  after head       195 cut
//	  after event       67 cut
//	  stalled           66 cut
//	  late             370 cut
//	goroutines  before 1, most 31144, after 1
//	heap        before 31.5 MB, most 670.9 MB, after 31.7 MB
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/sansmcp/mcp/protocol"
)

func main() {
	var set settings
	flag.IntVar(&set.sessions, "sessions", 1000, "how many sessions there are at a time")
	flag.IntVar(&set.calls, "calls", 20, "how many calls each session makes")
	flag.IntVar(&set.parallel, "parallel", 2, "how many calls of a session are in flight at a time")
	flag.IntVar(&set.handlers, "handlers", 1, "how many handlers share the sessions by a store; each request goes to one of them")
	flag.Float64Var(&set.chaos.cuts, "cuts", 0.05, "the share of exchanges, requests with their answers, that are cut")
	flag.BoolVar(&set.chaos.resumable, "resumable", false, "cut only where the client can resume the stream; then no call may fail")
	flag.Float64Var(&set.chaos.slow, "slow", 0.05, "the share of connections that are read slowly")
	flag.Float64Var(&set.chaos.delay, "delay", 0.1, "the share of connections on which bytes are delayed")
	flag.BoolVar(&set.ends, "ends", true, "have the server forget a session now and then, whose client begins another one")
	flag.Float64Var(&set.vanish, "vanish", 0.05, "the share of sessions that the client leaves without a word, where calls may be lost")
	flag.DurationVar(&set.idle, "idle", 20*time.Second, "after which time the server forgets those")
	flag.Uint64Var(&set.seed, "seed", uint64(time.Now().UnixNano()), "what is random follows from it, but for the order in which things happen")
	flag.DurationVar(&set.time, "for", 0, "begin no call after that time; 0 for no limit")
	flag.DurationVar(&set.hang, "hang", time.Minute, "what takes longer counts as hanging")
	flag.DurationVar(&set.rest, "rest", 15*time.Second, "how long goroutines may take to end when all is closed")
	revision := flag.String("revision", "2025-11-25", "the revision of the sessions")
	flag.Parse()
	var known bool
	if set.revision, known = protocol.ParseRevision(*revision); !known || flag.NArg() > 0 || set.sessions < 1 || set.calls < 1 || set.handlers < 1 || set.parallel < 1 {
		flag.Usage()
		os.Exit(2)
	}
	r, err := run(context.Background(), set)
	fmt.Printf("seed %d, revision %s\n", set.seed, *revision)
	r.print(os.Stdout, set)
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// print writes the figures of a run.
func (r report) print(w io.Writer, set settings) {
	p := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\n", args...) }
	p("%d sessions, %d calls in %v, %.0f a second", set.sessions, r.calls, r.elapsed.Round(time.Millisecond), float64(r.calls)/r.elapsed.Seconds())
	for k, n := range r.kinds {
		p("  %-12v %7d", kind(k), n)
	}
	p("%d results, %d failures", r.results, r.failures)
	for _, why := range slices.Sorted(maps.Keys(r.why)) {
		p("  %7d × %.150s", r.why[why], why)
	}
	p("%d beginnings of sessions failed, %d ends", r.reopened, r.closings)
	p("%d connections, %d exchanges", r.connections, r.exchanges)
	for f, n := range r.cuts {
		if n > 0 {
			p("  %-12v %7d cut", fate(f), n)
		}
	}
	p("goroutines  before %d, most %d, after %d", r.before.goroutines, r.peak.goroutines, r.after.goroutines)
	p("heap        before %.1f MB, most %.1f MB, after %.1f MB", mb(r.before.heap), mb(r.peak.heap), mb(r.after.heap))
}

func mb(n uint64) float64 { return float64(n) / 1e6 }
