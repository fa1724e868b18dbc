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

// A relay answers with what came of the request that it passed on, and with NoAnswer where
// it could not pass it on at all.
func ExampleNoAnswer() {
	call := lifecycle.MakeCall(nil, 1, 1) // of the RequestReceived event
	passed := lifecycle.Event{Kind: lifecycle.ResponseReceived, Body: `{"tools":[]}`}
	fmt.Println(passed.Answer(call).Result)
	fmt.Println(lifecycle.NoAnswer(call).Err)
	// Output:
	// {"tools":[]}
	// jsonrpc error -32603: no answer from the other side
}
