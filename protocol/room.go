package protocol

import (
	"slices"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// countFrom is the length of a list from which on its items are counted first. A slice
// that grows step by step takes several times the memory that it needs in the end, and
// hostile items are small as text and large as values.
const countFrom = 64

// roomFor returns list with room for one more element and, if it gets long, for all that
// a has left.
func roomFor[T any](list []T, a rawjson.Array) []T {
	if len(list) != countFrom {
		return list
	}
	n := 1
	for _, ok := a.Next(); ok; _, ok = a.Next() {
		n++
	}
	return slices.Grow(list, n)
}
