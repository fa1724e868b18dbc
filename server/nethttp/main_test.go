package nethttp_test

import (
	"os"
	"testing"

	"github.com/sansmcp/mcp/conformance/await"
)

func TestMain(m *testing.M) {
	os.Exit(await.Logs(m, "err", "host", "origin", "site", "panic", "stack"))
}
