package main

import (
	"context"
	"os"
	"os/signal"
)

// untilSignal returns a context that ends with the first signal that ends the program. The second
// ends the program at once, and the servers see the end of their input.
func untilSignal() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	got := make(chan os.Signal, 2)
	signal.Notify(got, ends...)
	go func() {
		select {
		case <-got:
		case <-ctx.Done():
			return
		}
		cancel()
		<-got
		os.Exit(1)
	}()
	return ctx, cancel
}
