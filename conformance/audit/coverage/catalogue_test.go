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

func read(t *testing.T, rows ...string) ([]coverage.Row, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.tsv")
	text := "id\tarea\trole\tlevel\trequirement\thow_to_test\tsince\tuntil\tnote\n" + strings.Join(rows, "\n") + "\n"
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "|", "\t")), 0o600); err != nil {
		t.Fatal(err)
	}
	return coverage.Read(path)
}

// A catalogue with any one fault is refused; the same one without it is not.
func TestRead(t *testing.T) {
	newer := "B-002|b|both|MUST|text|test|2025-11-25||"
	for row, good := range map[string]bool{
		"A-001|a|both|MUST|text|test|||":                                         true,
		"A-001|a|both|MUST|text|see B-002|||":                                    true,
		"A-001|a|both|MUST|text|see B-003|||":                                    false,
		"A-001|a|both|MUST|text|test||":                                          false,
		"A-001|a|both|MUST|text|test||||":                                        false,
		"A-1|a|both|MUST|text|test|||":                                           false,
		"A-0011|a|both|MUST|text|test|||":                                        false,
		"B-002|a|both|MUST|text|test|||":                                         false,
		"A-001|a|both|MUST|text|test|2025-06-18||extended: B-002":                true,
		"A-001|a|both|MUST|text|test|2025-11-25||extended: B-002":                false,
		"A-001|a|both|MUST|text|test|||extended: A-001":                          false,
		"A-001|a|both|MUST|text|test|2025-06-19||":                               false,
		"A-001|a|both|MUST|text|test||2025-06-18|replaced: B-002":                true,
		"A-001|a|both|MUST|text|test||2025-06-18|":                               false,
		"A-001|a|both|MUST|text|test|||replaced: B-002":                          false,
		"A-001|a|both|MUST|text|test||2025-11-25|replaced: B-002":                false,
		"A-001|a|both|MUST|text|test|2025-06-18|2025-03-26|replaced: B-002":      false,
		"A-001|a|both|MUST|text|test|2025-06-18|2025-06-18|replaced: B-002":      true,
		"A-001|a|both|MUST|text|test|2025-06-18|2025-06-18|replaced: B-002 C-01": false,
		"A-001|a|both|MUST|text|test|||open: tasks":                              true,
		"A-001|a|both|MUST|text|test|||open":                                     false,
		"A-001|a|both|MUST|text|test||2025-06-18|open: tasks; replaced: B-002":   true,
		"A-001|a|both|MUST|text|test|||open: tasks; extended: B-002":             true,
		"A-001|a|both|MUST|text|test|||open: tasks; ":                            false,
		"A-001|a|both|MUST|text|test|||open: tasks; or so":                       false,
		"A-001|a|both|MUST|text|test|||closed: tasks":                            false,
		"A-001|a|both|MUST|text|test|2025-11-25||below":                          true,
		"A-001|a|both|MUST|text|test|||below":                                    false,
	} {
		if rows, err := read(t, row, newer); (err == nil) != good || good && len(rows) != 2 {
			t.Errorf("%s: %d rows, %v", row, len(rows), err)
		}
	}
}

// The catalogue knows the revisions of the library, and complete ones can run.
func TestRevisions(t *testing.T) {
	var ours []string
	for _, r := range protocol.AllRevisions() {
		ours = append(ours, r.String())
	}
	slices.Reverse(ours)
	if !slices.Equal(ours, coverage.Revisions[:min(len(ours), len(coverage.Revisions))]) {
		t.Errorf("the library speaks %v, the catalogue knows %v", ours, coverage.Revisions)
	}
	if n := len(coverage.Complete); n > len(ours) || !slices.Equal(coverage.Complete, ours[:n]) {
		t.Errorf("complete are to be %v of %v", coverage.Complete, ours)
	}
	if !slices.Contains(coverage.Complete, coverage.Default) {
		t.Errorf("%s is not complete", coverage.Default)
	}
}

// A row holds from its first revision to its last, and its Range says so.
func TestHolds(t *testing.T) {
	for _, c := range []struct {
		row  string
		want []string
		text string
	}{
		{"A-001|a|both|MUST|text|test|||", []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}, "all"},
		{"A-001|a|both|MUST|text|test|2025-06-18||", []string{"2025-06-18", "2025-11-25", "2026-07-28"}, "2025-06-18.."},
		{"A-001|a|both|MUST|text|test||2025-06-18|replaced: B-002", []string{"2024-11-05", "2025-03-26", "2025-06-18"}, "..2025-06-18"},
		{"A-001|a|both|MUST|text|test|2025-03-26|2025-06-18|replaced: B-002", []string{"2025-03-26", "2025-06-18"}, "2025-03-26..2025-06-18"},
		{"A-001|a|both|MUST|text|test|2025-06-18|2025-06-18|replaced: B-002", []string{"2025-06-18"}, "2025-06-18"},
	} {
		rows, err := read(t, c.row, "B-002|b|both|MUST|text|test|2025-11-25||")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, name := range coverage.Revisions {
			if rows[0].Holds(name) {
				got = append(got, name)
			}
		}
		if !slices.Equal(got, c.want) || rows[0].Range() != c.text {
			t.Errorf("%s holds in %v, which is called %q", c.row, got, rows[0].Range())
		}
	}
}

// The state of a row in a revision follows from the revisions in which its cases run.
func TestIn(t *testing.T) {
	at := func(revisions ...string) []coverage.Case { return []coverage.Case{{Name: "a", Revisions: revisions}} }
	for name, c := range map[string]struct {
		row   string
		cases []coverage.Case
		want  [5]coverage.State
	}{
		"no case":            {"A-001|a|both|MUST|text|test|||", nil, [5]coverage.State{coverage.Missing, coverage.Missing, coverage.Missing, coverage.Missing, coverage.Missing}},
		"a case in some":     {"A-001|a|both|MUST|text|test|||", at("2024-11-05", "2025-06-18"), [5]coverage.State{coverage.Covered, coverage.Missing, coverage.Covered, coverage.Missing, coverage.Missing}},
		"not there":          {"A-001|a|both|MUST|text|test|2025-06-18||", at("2024-11-05", "2025-06-18"), [5]coverage.State{coverage.Absent, coverage.Absent, coverage.Covered, coverage.Missing, coverage.Missing}},
		"transport":          {"A-001|a|both|MUST|text|transport only.|2025-03-26||", at("2025-06-18"), [5]coverage.State{coverage.Absent, coverage.Transport, coverage.Transport, coverage.Transport, coverage.Transport}},
		"open":               {"A-001|a|both|MUST|text|test|2025-11-25||open: tasks", nil, [5]coverage.State{3: coverage.Open, 4: coverage.Open}},
		"open, with a case":  {"A-001|a|both|MUST|text|test|2025-11-25||open: tasks", at("2025-11-25"), [5]coverage.State{3: coverage.Covered, 4: coverage.Open}},
		"of older sessions":  {"A-001|a|both|MUST|text|test|2025-11-25||below", at("2025-06-18"), [5]coverage.State{3: coverage.Covered, 4: coverage.Covered}},
		"the same elsewhere": {"A-001|a|both|MUST|text|test|2025-11-25||", at("2025-06-18"), [5]coverage.State{3: coverage.Missing, 4: coverage.Missing}},
	} {
		rows, err := read(t, c.row)
		if err != nil {
			t.Fatal(err)
		}
		r := coverage.Result{Row: rows[0], Cases: c.cases}
		var lacks []string
		for i, revision := range coverage.Revisions {
			if got := r.In(revision); got != c.want[i] {
				t.Errorf("%s: %d in %s, want %d", name, got, revision, c.want[i])
			}
			if c.want[i] == coverage.Missing {
				lacks = append(lacks, revision)
			}
		}
		if got := r.Lacks(coverage.Revisions); !slices.Equal(got, lacks) {
			t.Errorf("%s: lacks a case in %v, want %v", name, got, lacks)
		}
	}
}

// Every row has a case in each complete revision.
func TestNothingIsMissing(t *testing.T) {
	root, err := coverage.Root()
	if err != nil {
		t.Fatal(err)
	}
	results, err := coverage.Results(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if lacks := r.Lacks(coverage.Complete); len(lacks) > 0 {
			t.Errorf("%s has no case in %s: %s", r.ID, strings.Join(lacks, ", "), r.Text)
		}
	}
}

// Each row on transports, authorization and security has a case, or a
// reason for having none.
func TestTransportOnlyHasAReason(t *testing.T) {
	rows, err := coverage.Read("../../requirements.tsv")
	if err != nil {
		t.Fatal(err)
	}
	areas := []string{"transports", "stdio", "streamable-http", "authorization", "security"}
	for _, r := range rows {
		switch {
		case !slices.Contains(areas, r.Area):
		case r.TransportOnly() && len(r.Test) < len("transport only: because"):
			t.Errorf("%s has neither a case nor a reason: %q", r.ID, r.Test)
		case r.TransportOnly() && !strings.HasPrefix(r.Test, "transport only: "), strings.Contains(r.Test, "otherwise transport only"):
			t.Errorf("%s leaves something to transports and does not say what: %q", r.ID, r.Test)
		}
	}
}
