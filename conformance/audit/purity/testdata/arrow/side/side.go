// Package side imports low, which it may.
package side

import _ "github.com/sansmcp/mcp/conformance/audit/purity/testdata/arrow/low/text"
