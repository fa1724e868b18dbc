package house

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A file of the engine uses nothing in a file above it. The order is that of
// the package comment, which names every file.
func TestEngineFloors(t *testing.T) {
	const dir = "../../../lifecycle/engine"
	names, order := floorsOf(t, dir)
	uses := usesOf(t, dir, nil)
	for _, up := range upward(uses, names, order) {
		t.Error(up)
	}
	if len(uses) < 20 {
		t.Errorf("only %d files use another", len(uses))
	}
}

// The test finds upward calls and types, a file missing from the order and a name without a file.
func TestBrokenFloors(t *testing.T) {
	const dir = "../../../lifecycle/engine"
	names, order := floorsOf(t, dir)
	for want, low := range map[string]string{
		"hash.go uses Core, settle of core.go": "func (c *Core) low() { c.settle(nil) }",
		"hash.go uses Core of core.go":         "type low struct{ c Core }",
	} {
		uses := usesOf(t, dir, map[string]string{
			"hash.go": "package engine\n\n" + low + "\n\n" +
				"func KeyOf(b [16]byte) [2]uint64 { return [2]uint64{} }\n\nfunc Hash(key [2]uint64, tag uint64, s string) uint64 { return 0 }\n\n" +
				"func hashPrefixes(key [2]uint64, tag uint64, s string, at byte, do func(n int, hash uint64) bool) {}\n",
		})
		if found := strings.Join(upward(uses, names, order), "\n"); !strings.Contains(found, want) {
			t.Errorf("found %q, want %q", found, want)
		}
	}
	for _, wrong := range [][]string{append(order, "hash.go"), append(order, "none.go"), order[1:]} {
		if found := upward(nil, names, wrong); len(found) == 0 {
			t.Error("a file on two floors, a floor without a file or a file without one is not found")
		}
	}
}

// floorsOf returns the files of a package except doc.go, and the order in its comment.
func floorsOf(t *testing.T, dir string) (names, order []string) {
	files, _, _ := checked(t, dir, nil)
	for _, f := range files {
		if name := filepath.Base(sources.Position(f.Pos()).Filename); name != "doc.go" {
			names = append(names, name)
		}
		for line := range strings.Lines(f.Doc.Text()) {
			if names, ok := strings.CutPrefix(strings.TrimSpace(line), "floor "); ok {
				for _, name := range strings.Fields(names) {
					order = append(order, name+".go")
				}
			}
		}
	}
	return names, order
}

// upward returns the uses of files that are later in the order, and the faults of
// the order itself.
func upward(uses map[string]map[string][]string, names, order []string) (found []string) {
	for from, to := range uses {
		for name, what := range to {
			if slices.Index(order, name) > slices.Index(order, from) {
				slices.Sort(what)
				found = append(found, fmt.Sprintf("%s uses %s of %s, which stands above it", from, strings.Join(what, ", "), name))
			}
		}
	}
	for _, name := range names {
		if !slices.Contains(order, name) {
			found = append(found, name+" has no floor")
		}
	}
	for i, name := range order {
		if !slices.Contains(names, name) || slices.Contains(order[:i], name) {
			found = append(found, name+" is no file, or stands on two floors")
		}
	}
	slices.Sort(found)
	return found
}
