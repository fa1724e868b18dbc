package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The page in docs is what the command writes, and every case bears an id that is in the
// catalogue.
func TestPageIsCurrent(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	results, err := read(root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, "docs", "spec-coverage.md"))
	if err != nil || !bytes.Equal(got, page(results)) {
		t.Errorf("docs/spec-coverage.md is not current (%v): run go generate ./conformance/cmd/coverage", err)
	}
}
