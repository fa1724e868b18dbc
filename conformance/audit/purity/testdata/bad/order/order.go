// Package order compares revisions.
package order

import (
	"cmp"
	"strings"

	"github.com/sansmcp/mcp/conformance/audit/purity/testdata/bad/revision"
)

const june revision.Revision = "2025-06-18"

type alias = revision.Revision

func compare(r revision.Revision, f revision.Flag) []bool {
	return []bool{
		r < june,                                     // want order
		"2025-03-26" >= string(r),                    // want order
		f.Text() > "x",                               // want order
		(f.Name) <= "x",                              // want order
		cmp.Compare(alias(r), june) < 0,              // want order
		cmp.Less(string(r), "2025"),                  // want order
		strings.Compare(string(june), string(r)) < 0, // want order
		min(r, june) == r,                            // want order
		r == june,
		len(r) < 3,
		len(f.Text()) < 3,
		strings.Index("2025-06-18", string(r)) < 2,
	}
}
