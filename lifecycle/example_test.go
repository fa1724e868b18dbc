package lifecycle_test

import (
	"errors"
	"fmt"

	"github.com/sansmcp/mcp/lifecycle"
)

// The transition table answers what a trigger does to a phase.
func ExampleNext() {
	to, ok := lifecycle.Next(lifecycle.Server, lifecycle.Initializing, lifecycle.HandshakeDone)
	fmt.Println(to, ok)
	to, ok = lifecycle.Next(lifecycle.Server, lifecycle.ShuttingDown, lifecycle.ResetRequested)
	fmt.Println(to, ok)
	// Output:
	// ready true
	// shutting_down false
}

// Why a request failed can be told apart with errors.Is.
func ExampleEvent_Failure() {
	ev := lifecycle.Event{Kind: lifecycle.RequestFailed, Cause: &lifecycle.Cause{Kind: lifecycle.CauseTimedOut}}
	fmt.Println(errors.Is(ev.Failure(), &lifecycle.Cause{Kind: lifecycle.CauseTimedOut}))
	fmt.Println(errors.Is(ev.Failure(), &lifecycle.Cause{Kind: lifecycle.CauseLost}))
	// Output:
	// true
	// false
}
