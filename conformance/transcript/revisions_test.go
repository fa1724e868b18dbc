package transcript_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/protocol"
)

func names(list []protocol.Revision) string {
	var out []string
	for _, r := range list {
		out = append(out, r.String())
	}
	return strings.Join(out, " ")
}

// A list of revisions is returned newest first; an open range extends to the newest or oldest
// revision of the library, whichever these are.
func TestRevisions(t *testing.T) {
	all := names(protocol.Revisions())
	upTo := func(last string) string { return all[strings.Index(all, last):] }
	for list, want := range map[string]string{
		"all": all, "2024-11-05..": all, "2025-06-18": "2025-06-18", "2024-11-05 2025-06-18": "2025-06-18 2024-11-05",
		"2025-03-26..2025-06-18": "2025-06-18 2025-03-26", "..2025-03-26": upTo("2025-03-26"),
		"2025-06-18..": strings.TrimSuffix(all, " 2025-03-26 2024-11-05"), "..2025-06-18 2025-03-26": upTo("2025-06-18"),
		"": "", "..": "", "2025-06-18..2025-03-26": "", "1999-01-01": "", "2025-06-18,2025-03-26": "", "ALL": "", "2025-06-18..2025-06-19": "",
	} {
		got, err := transcript.Revisions(list)
		if names(got) != want || (err == nil) != (want != "") {
			t.Errorf("%q is %q (%v), want %q", list, names(got), err, want)
		}
	}
}

// Excused revisions are removed from the named ones, and an excuse has a reason.
func TestNotAt(t *testing.T) {
	for head, want := range map[string]string{
		"# not at 2024-11-05: why":                                       strings.TrimSuffix(names(protocol.Revisions()), " 2024-11-05"),
		"# revisions: ..2025-06-18\n# not at 2025-03-26 2030-01-01: why": "2025-06-18 2024-11-05",
		"# not at 2025-03-26: why\n# revisions: ..2025-06-18":            "2025-06-18 2024-11-05",
		"# revisions: 2025-03-26\n# not at 2025-03-26: why":              "",
		"# not at 2025-03-26:":                                           "", "# not at: why": "", "# not at :why": "",
	} {
		path := filepath.Join(t.TempDir(), "one.txt")
		if err := os.WriteFile(path, []byte("# role: server\n"+head+"\n\n> {}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := transcript.Parse(path)
		if (err == nil) != (want != "") || err == nil && names(f.Revisions) != want {
			t.Errorf("%q: %v, want %q", head, err, want)
			if err == nil {
				t.Errorf("it runs at %q", names(f.Revisions))
			}
		}
	}
}
