// Package nethttp serves MCP over Streamable HTTP.
package nethttp
