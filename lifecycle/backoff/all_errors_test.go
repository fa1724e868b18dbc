package backoff_test

import (
	"testing"

	"github.com/sansmcp/mcp/conformance/texts"
	"github.com/sansmcp/mcp/lifecycle/backoff"
)

// Each error is as severe as it was.
func TestAllErrors(t *testing.T) {
	all := texts.AllErrors()
	texts.Same(t, "3592 of 3592, 2ee34a05", all.Names(), func(name string) string { return backoff.SeverityOf(all.Of(name)).String() })
}
