// Package high imports a driver, which it may not.
package high

import _ "github.com/sansmcp/mcp/conformance/audit/purity/testdata/arrow/low/driver"
