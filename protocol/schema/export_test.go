package schema

import "github.com/sansmcp/mcp/jsonrpc"

// Steps returns the steps that Basic.Validate takes where there is no limit, and how many
// it may take.
func Steps(schema, value string) (taken, allowed int) {
	const most = 1 << 40
	left, _ := Within(most, schema, value)
	return most - left, newWork(len(schema) + len(value)).steps
}

// Within is Basic.Validate with a number of steps of one's own.
func Within(steps int, schema, value string) (left int, err error) {
	w := newWork(0)
	w.steps = steps
	if r := compile(w, schema); w.dead {
		err = w.fault
	} else {
		err = validate(w, r, jsonrpc.Raw(value))
	}
	return w.steps, err
}

// The limits.
const (
	FreeSteps = freeSteps
	ByteSteps = byteSteps
	MostSteps = mostSteps
	MaxDepth  = maxDepth
	MaxFaults = maxFaults
)
