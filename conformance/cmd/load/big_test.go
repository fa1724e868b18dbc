package main

import (
	"context"
	"os"
	"runtime/pprof"
	"strconv"
	"testing"
	"time"
)

func TestBig(t *testing.T) {
	set := small()
	set.sessions, _ = strconv.Atoi(os.Getenv("S"))
	set.calls, _ = strconv.Atoi(os.Getenv("C"))
	set.chaos.cuts, _ = strconv.ParseFloat(os.Getenv("X"), 64)
	set.chaos.resumable = os.Getenv("R") != ""
	if os.Getenv("D") != "" {
		set.dial = dial
	}
	set.hang, _ = time.ParseDuration(os.Getenv("H"))
	r, err := run(context.Background(), set)
	r.print(os.Stdout, set)
	f, _ := os.Create("/tmp/heap.out")
	pprof.Lookup("heap").WriteTo(f, 0)
	f.Close()
	if err != nil {
		t.Fatal(err)
	}
}
