// Package driver may import low, but nothing pure may import it.
package driver

import _ "github.com/sansmcp/mcp/conformance/audit/purity/testdata/arrow/low/text"
