package schema

import (
	"cmp"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// Steps returns the steps that Basic.Validate takes where there is no limit, and how many
// it may take.
func Steps(schema, value string) (taken, most int) {
	const plenty = 1 << 40
	left, _ := Within(plenty, schema, value)
	return plenty - left, allowed(len(schema) + len(value))
}

// Within is Basic.Validate with a number of steps of one's own.
func Within(steps int, schema, value string) (left int, err error) {
	w := newWork(steps)
	r := compile(w, schema)
	if w.dead {
		return w.steps, *w.fault
	}
	text, fault := trim(cmp.Or(value, "{}"))
	if fault != rawjson.OK {
		return w.steps, Fault{Keyword: KeywordSyntax}
	}
	return evaluate(w.steps, r, text)
}

// The limits.
const (
	FreeSteps = freeSteps
	ByteSteps = byteSteps
	MostSteps = mostSteps
	MaxDepth  = maxDepth
	MaxFaults = maxFaults
)
