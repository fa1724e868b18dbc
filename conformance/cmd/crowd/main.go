// Command crowd keeps many calls and subscriptions of clients without a session open at a gateway, over
// loopback, and prints what each costs the gateway:
//
//	go run ./conformance/cmd/crowd            # 10,000 of each
//	go run ./conformance/cmd/crowd -n 200     # in a second
//
// There are three programs, so that the figures are only the gateway's: this process is the gateway,
// and starts one with all clients, and for each party of clients a server with sessions, over stdio.
//
// First each client calls a tool that asks its user, and gets the question as the result: the call is
// parked at the gateway, without an open connection. Then each repeats its call with the answer.
// Last each opens a subscription to a resource, which stays open; the resource is written once for each
// party, and all are notified.
//
// The cost of a call is the growth of the gateway's heap and stacks, after a collection, divided by the
// number of calls. The command fails if a call or subscription is not answered, or if goroutines
// are left at the end.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

// settings are the flags.
type settings struct {
	n, parties, workers int
}

func main() {
	var s settings
	flag.IntVar(&s.n, "n", 10_000, "how many calls, and how many subscriptions")
	flag.IntVar(&s.parties, "parties", 20, "how many principals the clients are of; each has a server of its own")
	flag.IntVar(&s.workers, "workers", 64, "how many requests are made at a time")
	flag.Parse()
	var err error
	switch {
	case s.n <= 0 || s.parties <= 0 || s.workers <= 0:
		err = errors.New("-n, -parties and -workers are positive")
	case flag.Arg(0) == "server":
		err = serve()
	case flag.Arg(0) == "clients":
		err = crowd(flag.Arg(1), s)
	default:
		err = measure(s)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "crowd:", err)
		os.Exit(1)
	}
}
