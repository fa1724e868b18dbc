module github.com/sansmcp/mcp/conformance/officialschema

go 1.25

require (
	github.com/sansmcp/mcp v0.0.0
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
)

require golang.org/x/text v0.14.0 // indirect

replace github.com/sansmcp/mcp => ../..
