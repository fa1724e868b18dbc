package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/sansmcp/mcp/conformance/audit/coverage"
)

// The page in docs is the output of the command, and every case names an id in the
// catalogue.
func TestPageIsCurrent(t *testing.T) {
	root, err := coverage.Root()
	if err != nil {
		t.Fatal(err)
	}
	results, err := coverage.Results(root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, "docs", "spec-coverage.md"))
	if err != nil || !bytes.Equal(got, page(results)) {
		t.Errorf("docs/spec-coverage.md is not current (%v): run go generate ./conformance/cmd/coverage", err)
	}
}
