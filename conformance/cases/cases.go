// Package cases lets a test of a whole table say which rows of the catalogue a finding
// belongs to. Each row is a subtest of its name, so that a fault fails the cases of the
// rows that it breaks and no others; what belongs to no row of the test is the subtest
// "other".
package cases

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

// Findings are what a test found. The zero value is ready.
type Findings struct{ found map[string][]string }

// Add notes a finding that breaks the rows, separated by blanks; none stands for "other".
func (f *Findings) Add(rows, format string, args ...any) {
	if rows == "" {
		rows = "other"
	}
	if f.found == nil {
		f.found = map[string][]string{}
	}
	f.found[rows] = append(f.found[rows], fmt.Sprintf(format, args...))
}

// Report runs a subtest for each of the rows, and for all others that were named.
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
