// Package low imports what lies above it.
package low

import _ "github.com/sansmcp/mcp/conformance/purity/testdata/arrow/high"
