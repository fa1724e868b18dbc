//go:build race

package jsonrpc_test

const race = true
