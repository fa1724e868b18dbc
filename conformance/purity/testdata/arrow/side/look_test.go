package side_test

import _ "github.com/sansmcp/mcp/conformance/purity/testdata/arrow/high/joint"
