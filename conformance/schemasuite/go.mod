module github.com/sansmcp/mcp/conformance/schemasuite

go 1.25

require (
	github.com/sansmcp/mcp v0.0.0
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	pgregory.net/rapid v1.3.0
)

require golang.org/x/text v0.14.0 // indirect

replace github.com/sansmcp/mcp => ../..
