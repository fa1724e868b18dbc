// Package joint has a layer of its own, which may import all.
package joint

import (
	_ "github.com/sansmcp/mcp/conformance/audit/purity/testdata/arrow/high"
	_ "github.com/sansmcp/mcp/conformance/audit/purity/testdata/arrow/low/text"
	_ "github.com/sansmcp/mcp/conformance/audit/purity/testdata/arrow/side"
)
