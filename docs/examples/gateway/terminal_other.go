//go:build !unix

package main

import (
	"context"

	"github.com/sansmcp/mcp/docs/examples/gateway/config"
)

// askTerminal asks nothing, because it could not hide a secret.
func askTerminal(context.Context, config.Input) (string, bool) { return "", false }
