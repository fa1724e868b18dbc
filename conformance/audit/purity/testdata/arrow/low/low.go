// Package low imports what lies above it.
package low

import _ "github.com/sansmcp/mcp/conformance/audit/purity/testdata/arrow/high"
