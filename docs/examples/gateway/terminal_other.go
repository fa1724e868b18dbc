//go:build !unix

package main

import (
	"context"

	"github.com/sansmcp/mcp/docs/examples/gateway/config"
)

// askTerminal asks nobody: what is secret could not be hidden.
func askTerminal(context.Context, config.Input) (string, bool) { return "", false }
