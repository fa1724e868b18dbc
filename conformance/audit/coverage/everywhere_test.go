package coverage_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/audit/coverage"
	"github.com/sansmcp/mcp/protocol"
)

// A transcript with rows runs in every revision in which all of them hold, or its
// head says what prevents that. A transcript about older sessions chooses them, and one that
// names only revisions without a session shows how the rows hold there.
func TestTranscriptsRunWhereTheirRowsHold(t *testing.T) {
	list, err := coverage.Read("../../requirements.tsv")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]coverage.Row{}
	for _, r := range list {
		rows[r.ID] = r
	}
	for _, f := range transcripts(t) {
		older := slices.ContainsFunc(f.Rows, func(id string) bool { return rows[id].Below() })
		sessions := slices.ContainsFunc(f.Revisions, protocol.Revision.Handshake)
		var excused []string
		for _, e := range f.NotAt {
			excused = append(excused, e.Revisions...)
		}
		for _, name := range coverage.Revisions {
			runs := slices.ContainsFunc(f.Revisions, func(r protocol.Revision) bool { return r.String() == name })
			rev, _ := protocol.ParseRevision(name)
			spoken := rev.Handshake() // files for the others name them
			var strange []string
			for _, id := range f.Rows {
				if !rows[id].Holds(name) && !rows[id].Below() {
					strange = append(strange, id)
				}
			}
			switch excuse := slices.Contains(excused, name); {
			case len(strange) == 0 && len(f.Rows) > 0 && sessions && spoken && !runs && !excuse && !older:
				t.Errorf("%s is not run at %s, where all its rows hold: take it in, or say why not", f.Path, name)
			case len(strange) > 0 && excuse:
				t.Errorf("%s need not say why it is not run at %s, where %s does not hold: a list of revisions is enough", f.Path, name, strings.Join(strange, ", "))
			}
		}
		for _, name := range excused {
			if !slices.Contains(coverage.Revisions, name) {
				t.Errorf("%s excuses itself from %s, which is no revision", f.Path, name)
			}
		}
	}
}
