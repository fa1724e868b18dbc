// Command crowd keeps many calls and subscriptions of clients without a session open at a gateway, over
// loopback, and prints what each costs the gateway:
//
//	go run ./conformance/cmd/crowd            # 10,000 of each
//	go run ./conformance/cmd/crowd -n 200     # in a second
//
// There are three programs, so that figures are those of the gateway alone: this process is the gateway,
// and starts one that has all clients, and for each party of clients a server with sessions, over stdio.
//
// First each client calls a tool that asks its user, and gets the question as the result: the call is
// parked at the gateway, and no connection is open for it. Then each makes its call again with the answer.
// At last each opens a subscription to a resource, which stays open; the resource is written once for each
// party, and all are told.
//
// A call costs what the heap and the stacks of the gateway grow by, after a collection, divided by the
// number of calls. The command fails if one call or subscription is not answered, or if goroutines of it
// are left at the end.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

// settings are what the command line says.
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
