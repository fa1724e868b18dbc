package coverage_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/audit/coverage"
)

// tree writes files below a new folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for path, text := range files {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

const product = `// Package server keeps to A-001.
package server

var rule = "A-002" // and to A-003,
/* A-004
and to A-005 */
var many = ` + "`x\nA-006`" + `
var n = A-007
var other = "XA-0081 A-12 SHA-256"
`

func code(t *testing.T, unnamed string) (coverage.Code, error) {
	t.Helper()
	files := map[string]string{
		"server/deep/in/server.go": product, "server/server_test.go": "package server\n\n// A-008\n", "server/testdata/x.go": "package x\n\n// A-008\n",
		"conformance/x.go": "package x\n\n// A-008\n", "conformance/unnamed.txt": unnamed,
	}
	for _, dir := range coverage.Product {
		files[dir+"/doc.go"] = "package " + dir + "\n"
	}
	return coverage.ReadCode(tree(t, files))
}

// Only a comment or a string of product code names a row, with its line.
func TestNamed(t *testing.T) {
	c, err := code(t, "")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"A-001": "server/deep/in/server.go:1", "A-002": "server/deep/in/server.go:4", "A-003": "server/deep/in/server.go:4", "A-004": "server/deep/in/server.go:5",
		"A-005": "server/deep/in/server.go:6", "A-006": "server/deep/in/server.go:8", "SHA-256": "server/deep/in/server.go:10",
	}
	for id, places := range c.Named {
		if len(places) != 1 || places[0] != want[id] {
			t.Errorf("%s is named in %v, want %q", id, places, want[id])
		}
		delete(want, id)
	}
	if len(want) > 0 {
		t.Errorf("not found: %v", want)
	}
}

// Reasons are above their rows; other paragraphs are refused.
func TestReasons(t *testing.T) {
	c, err := code(t, "# of the file\n\nOne reason,\nin two lines.\n\tB-001 B-002\n\n# more\nAnother.\n  B-003\n\tB-004\n")
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"B-001": "One reason, in two lines.", "B-002": "One reason, in two lines.", "B-003": "Another.", "B-004": "Another."} {
		if c.Reasons[id] != want {
			t.Errorf("%s: %q, want %q", id, c.Reasons[id], want)
		}
	}
	if len(c.Reasons) != 4 {
		t.Errorf("%v", c.Reasons)
	}
	for _, bad := range []string{"\tB-001\n", "One.\n", "One.\n\nTwo.\n\tB-001\n", "One.\n\tB-001\nTwo.\n\tB-002\n", "One.\n\tB-01\n", "One.\n\tB-001,\n", "One.\n\tB-001\n\nTwo.\n\tB-001\n"} {
		if c, err := code(t, bad); err == nil {
			t.Errorf("%q is read as %v", bad, c.Reasons)
		}
	}
}

// Every row that requires something of the machines, in one of the revisions, is named or has
// a reason; unneeded reasons and unknown rows are found.
func TestMissingAndStale(t *testing.T) {
	rows, err := read(t,
		"A-001|a|both|MUST|named|test|||", "A-002|a|both|MUST|named|test|||", "A-003|a|both|MUST|named|transport only|||", "A-004|a|both|MUST|named|see A-001|||",
		"A-005|a|both|MUST|named|test|||", "B-001|b|both|MUST|a reason|test|||", "B-002|b|both|MUST|nothing|test|||", "B-003|b|both|MUST|nothing|transport only.|||",
		"B-004|b|both|MUST|nothing|see A-001|||", "B-005|b|both|MUST|nothing|test|2025-11-25||open: tasks", "B-006|b|both|MUST|nothing|test|2025-11-25||")
	if err != nil {
		t.Fatal(err)
	}
	c, err := code(t, "Why.\n\tB-001 A-002 B-003 B-009\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []struct {
		revisions []string
		want      []string
	}{{[]string{"2025-06-18"}, []string{"B-002"}}, {[]string{"2025-06-18", "2025-11-25"}, []string{"B-002", "B-006"}}} {
		var got []string
		for _, r := range c.Missing(rows, q.revisions) {
			got = append(got, r.ID)
		}
		if !slices.Equal(got, q.want) {
			t.Errorf("in %v %v are missing, want %v", q.revisions, got, q.want)
		}
	}
	want := []string{
		"A-002 is named in server/deep/in/server.go:4 and needs no reason why not", "A-006 is no row: server/deep/in/server.go:8",
		"B-003 need not be named, and needs no reason why not", "B-009 is no row: conformance/unnamed.txt",
	}
	if got := c.Stale(rows); !slices.Equal(got, want) {
		t.Errorf("stale:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Every row that requires something of the machines, in a complete revision, is named in
// product code or has a reason for not being named. The named rows exist, and none of them has
// a reason.
func TestCodeNamesRows(t *testing.T) {
	root, err := coverage.Root()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := coverage.Read(filepath.Join(root, "conformance", "requirements.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := coverage.ReadCode(root)
	if err != nil || len(c.Named) == 0 {
		t.Fatal(len(c.Named), err)
	}
	for _, r := range c.Missing(rows, coverage.Complete) {
		t.Errorf("no line of product code names %s, and %s has no reason why not: %s", r.ID, coverage.Unnamed, r.Text)
	}
	for _, text := range c.Stale(rows) {
		t.Error(text)
	}
}
