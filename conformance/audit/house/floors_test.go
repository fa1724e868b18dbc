package house

import (
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A file of the engine calls nothing that stands in a file above it. The order is that of
// the package comment, which names every file.
func TestEngineFloors(t *testing.T) {
	const dir = "../../../lifecycle/engine"
	arrows, order := arrowsOf(t, dir, nil)
	for _, up := range upward(arrows, order) {
		t.Error(up)
	}
	if len(arrows) < 40 {
		t.Errorf("only %d arrows between files were found", len(arrows))
	}
	t.Logf("%d files, %d arrows between them", len(order), len(arrows))
}

// The test finds a call that runs upward, a file without a floor and a floor without a
// file.
func TestBrokenFloors(t *testing.T) {
	const dir = "../../../lifecycle/engine"
	arrows, order := arrowsOf(t, dir, map[string]string{
		"hash.go": "package engine\n\nfunc (c *Core) low() { c.settle(nil) }\n\n" +
			"func KeyOf(b [16]byte) [2]uint64 { return [2]uint64{} }\n\nfunc Hash(key [2]uint64, tag uint64, s string) uint64 { return 0 }\n\n" +
			"func hashPrefixes(key [2]uint64, tag uint64, s string, at byte, do func(n int, hash uint64) bool) {}\n",
	})
	if found := strings.Join(upward(arrows, order), "\n"); !strings.Contains(found, "hash.go calls settle of core.go") {
		t.Errorf("found %q", found)
	}
	if found := upward(nil, append(order, "hash", "none")); len(found) == 0 {
		t.Error("a file on two floors is not found")
	}
}

// arrow is a call from one file to another.
type arrow struct{ from, to, name string }

// arrowsOf returns the calls between the files of a package, each function of a file once,
// and the files in the order of the package comment. The text of a file may be another one.
func arrowsOf(t *testing.T, dir string, overlay map[string]string) (arrows []arrow, order []string) {
	t.Helper()
	files, pkg, info := checked(t, dir, overlay)
	for _, f := range files {
		for line := range strings.Lines(f.Doc.Text()) {
			if names, ok := strings.CutPrefix(strings.TrimSpace(line), "floor "); ok {
				order = append(order, strings.Fields(names)...)
			}
		}
	}
	file := func(pos token.Pos) string {
		return strings.TrimSuffix(filepath.Base(sources.Position(pos).Filename), ".go")
	}
	for id, obj := range info.Uses {
		if _, ok := obj.(*types.Func); !ok || obj.Pkg() != pkg {
			continue
		}
		a := arrow{file(id.Pos()), file(obj.Pos()), obj.Name()}
		if a.from != a.to && !slices.Contains(arrows, a) {
			arrows = append(arrows, a)
		}
	}
	for _, f := range files {
		if name := file(f.Pos()); name != "doc" && !slices.Contains(order, name) {
			t.Errorf("%s.go has no floor", name)
		}
	}
	return arrows, order
}

// upward returns the calls to files that stand later in the order, and what is wrong with
// the order itself.
func upward(arrows []arrow, order []string) (found []string) {
	for i, name := range order {
		if slices.Contains(order[:i], name) {
			found = append(found, name+".go stands on two floors")
		}
	}
	for _, a := range arrows {
		if slices.Index(order, a.to) > slices.Index(order, a.from) {
			found = append(found, fmt.Sprintf("%s.go calls %s of %s.go, which stands above it", a.from, a.name, a.to))
		}
	}
	slices.Sort(found)
	return found
}
