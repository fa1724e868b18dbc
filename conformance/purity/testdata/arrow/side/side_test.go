package side

import _ "github.com/sansmcp/mcp/conformance/purity/testdata/arrow/high"
