// Package jsonrpc is here because the command looks for it.
package jsonrpc
