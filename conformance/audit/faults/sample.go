package main

import (
	"slices"

	"github.com/sansmcp/mcp/conformance/audit/coverage"
)

// The sample of which each row must have a patch.
const (
	KeptRows = 60
	KeptSeed = 1
)

// Lacking returns the rows without a patch.
func Lacking(rows []coverage.Result, patches []Patch) []coverage.Result {
	return slices.DeleteFunc(slices.Clone(rows), func(r coverage.Result) bool {
		return slices.ContainsFunc(patches, func(p Patch) bool { return p.Row == r.ID })
	})
}

// Among returns the patches of the rows.
func Among(patches []Patch, rows []coverage.Result) []Patch {
	return slices.DeleteFunc(slices.Clone(patches), func(p Patch) bool {
		return !slices.ContainsFunc(rows, func(r coverage.Result) bool { return r.ID == p.Row })
	})
}
