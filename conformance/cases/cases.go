// Package cases lets a test of a whole table assign each finding to rows of the catalogue.
// Each row is a subtest with its id, so that a fault fails exactly the cases of the
// rows that it violates; findings without a row of the test are in the subtest
// "other".
package cases

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

// Findings are the findings of a test. The zero value is ready.
type Findings struct{ found map[string][]string }

// Add records a finding that violates the rows, separated by spaces; without rows it is "other".
func (f *Findings) Add(rows, format string, args ...any) {
	if rows == "" {
		rows = "other"
	}
	if f.found == nil {
		f.found = map[string][]string{}
	}
	f.found[rows] = append(f.found[rows], fmt.Sprintf(format, args...))
}

// Report runs a subtest for each of the rows, and for all others with findings.
func (f *Findings) Report(t *testing.T, rows ...string) {
	names := slices.AppendSeq(rows, maps.Keys(f.found))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		t.Run(name, func(t *testing.T) {
			for _, text := range f.found[name] {
				t.Error(text)
			}
		})
	}
}
