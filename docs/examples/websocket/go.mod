module github.com/sansmcp/mcp/docs/examples/websocket

go 1.25.5

require (
	github.com/coder/websocket v1.8.15
	github.com/sansmcp/mcp v0.0.0
)

replace github.com/sansmcp/mcp => ../../..
