package side

import _ "github.com/sansmcp/mcp/conformance/audit/purity/testdata/arrow/high"
