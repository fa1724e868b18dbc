package coverage_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/audit/coverage"
	"github.com/sansmcp/mcp/protocol"
)

// The revisions of a case are those that it declares, or that its loop ranges over.
func TestCases(t *testing.T) {
	root := t.TempDir()
	for path, text := range map[string]string{
		"conformance/testdata/a/everywhere.txt": "# rows: A-001 A-002\n# role: server\n\n> {}\n",
		"conformance/testdata/a/late.txt":       "# rows: A-001\n# role: server\n# revisions: 2025-06-18\n\n> {}\n",
		"conformance/testdata/a/early.txt":      "# rows: A-003\n# role: server\n# revisions: ..2025-03-26\n\n> {}\n",
		"x/x_test.go": `package x

// rows: B-001 B-002
func TestPlain(t *testing.T) { New() }

// rows: B-003
// revisions: 2024-11-05..2025-03-26
func TestDeclared(t *testing.T) { for range protocol.Revisions() { } }

// rows: B-004
func TestLoop(t *testing.T) { for _, r := range protocol.Revisions() { New(r) } }

// rows: B-005
func TestHelper(t *testing.T) { each(t, func() { New() }) }

// rows: B-006
func TestNamed(t *testing.T) { each(t, named) }

// rows: B-007
func TestFirst(t *testing.T) { New(protocol.Revisions()[0]) }

// rows: B-009
func TestEveryLoop(t *testing.T) { for _, r := range protocol.AllRevisions() { New(r) } }

// rows: B-010
func TestEveryHelper(t *testing.T) { every(t, func() { New() }) }

// rows: B-011
// revisions: 2025-06-18.. 2026-07-28
func TestStateless(t *testing.T) { New() }

// rows: B-012
// revisions: 2025-11-25..
func TestOpenEnd(t *testing.T) { New() }

func every(t *testing.T, f any) { for range protocol.AllRevisions() { } }

// rows: B-008
func TestCallsNothing(t *testing.T) { each(t, 5) }

func each(t *testing.T, f any) { for range protocol.Revisions() { } }

func named() { t.Run("C-001", func(t *testing.T) { New() }) }

func TestParts(t *testing.T) {
	t.Run("C-002", func(t *testing.T) { New() })
	t.Run("C-003 and more", func(t *testing.T) { for range protocol.Revisions() { } })
	for _, r := range protocol.Revisions() {
		t.Run("C-004", func(t *testing.T) { New(r) })
	}
	// Only there.
	//
	// revisions: 2025-03-26
	t.Run("C-005", func(t *testing.T) { New() })
	t.Run("none", func(t *testing.T) { New() })
	t.Run("C-006", func(t *testing.T) { New() })
}

func TestMore(t *testing.T) {
	each(t, func() { t.Run("C-006", nil) })
}

// revisions: ..2025-03-26
func TestWhole(t *testing.T) {
	t.Run("C-007", func(t *testing.T) { for range protocol.Revisions() { } })
}
`,
		"jsonrpc/x_test.go": `package jsonrpc

// rows: D-001
func TestBytes(t *testing.T) { Decode() }

// rows: D-002
func TestAt(t *testing.T) { Encode(protocol.Revision20250618) }
`,
		"jsonrpcx/x_test.go":     "package x\n\n// rows: D-003\nfunc TestOther(t *testing.T) { Decode() }\n",
		"node_modules/x_test.go": "package x\n\n// rows: E-001\nfunc TestOther(t *testing.T) { Decode() }\n",
	} {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var all []string
	for _, r := range protocol.Revisions() {
		all = append(all, r.String())
	}
	slices.Sort(all)
	every := append(slices.Clone(all), "2026-07-28")
	late, early := []string{"2025-06-18"}, []string{"2024-11-05", "2025-03-26"}
	want := map[string][]coverage.Case{
		"A-001": {{"a/everywhere.txt", all}, {"a/late.txt", late}}, "A-002": {{"a/everywhere.txt", all}}, "A-003": {{"a/early.txt", early}},
		"B-001": {{"x/x_test.go TestPlain", late}}, "B-002": {{"x/x_test.go TestPlain", late}}, "B-003": {{"x/x_test.go TestDeclared", early}},
		"B-004": {{"x/x_test.go TestLoop", all}}, "B-005": {{"x/x_test.go TestHelper", all}}, "B-006": {{"x/x_test.go TestNamed", all}},
		"B-007": {{"x/x_test.go TestFirst", late}}, "B-008": {{"x/x_test.go TestCallsNothing", late}},
		"B-009": {{"x/x_test.go TestEveryLoop", every}}, "B-010": {{"x/x_test.go TestEveryHelper", every}},
		"B-011": {{"x/x_test.go TestStateless", every[2:]}}, "B-012": {{"x/x_test.go TestOpenEnd", []string{"2025-11-25"}}},
		"C-001": {{"x/x_test.go TestNamed", all}}, "C-002": {{"x/x_test.go TestParts", late}}, "C-003": {{"x/x_test.go TestParts", all}},
		"C-004": {{"x/x_test.go TestParts", all}}, "C-005": {{"x/x_test.go TestParts", []string{"2025-03-26"}}},
		"C-006": {{"x/x_test.go TestMore", all}, {"x/x_test.go TestParts", late}}, "C-007": {{"x/x_test.go TestWhole", early}},
		"D-001": {{"jsonrpc/x_test.go TestBytes", every}}, "D-002": {{"jsonrpc/x_test.go TestAt", late}}, "D-003": {{"jsonrpcx/x_test.go TestOther", late}},
	}
	got, err := coverage.Cases(root)
	if err != nil {
		t.Fatal(err)
	}
	for id := range got {
		if _, ok := want[id]; !ok {
			t.Errorf("%s has the cases %v", id, got[id])
		}
	}
	for id, list := range want {
		if !slices.EqualFunc(got[id], list, func(a, b coverage.Case) bool { return a.Name == b.Name && slices.Equal(a.Revisions, b.Revisions) }) {
			t.Errorf("%s has the cases %v, want %v", id, got[id], list)
		}
	}

	for _, bad := range []string{"// revisions: 1999-01-01\nfunc TestBad(t *testing.T) {}\n", "func TestBad(t *testing.T) {\n\t// revisions: newest\n\tt.Run(\"A-001\", nil)\n}\n"} {
		if err := os.WriteFile(filepath.Join(root, "bad_test.go"), []byte("package x\n\n"+bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := coverage.Cases(root); err == nil {
			t.Errorf("taken:\n%s", bad)
		}
	}
}

// A case must not name an unknown row.
func TestStrays(t *testing.T) {
	rows := []coverage.Row{{ID: "A-001"}, {ID: "A-002", Test: "see A-001"}, {ID: "A-003", Test: "see A-001"}}
	cases := map[string][]coverage.Case{"A-001": {{Name: "a"}}, "A-003": {{Name: "c"}}}
	results, err := coverage.Check(rows, cases)
	if err != nil || len(results) != 3 || results[1].Names()[0] != "a" || results[2].Names()[0] != "c" {
		t.Errorf("%v, %v", results, err)
	}
	cases["A-004"] = []coverage.Case{{Name: "x/y_test.go TestZ"}}
	if _, err := coverage.Check(rows, cases); err == nil || !strings.Contains(err.Error(), "A-004 in x/y_test.go TestZ") {
		t.Error(err)
	}
}
