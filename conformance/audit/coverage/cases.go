package coverage

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/protocol"
)

// Case is a case of a row.
type Case struct {
	Name      string   // a transcript below testdata, or a file and its test function
	Revisions []string // the revisions in which it runs
}

// Cases returns, for each row, the cases below root that name its id.
func Cases(root string) (map[string][]Case, error) {
	found := ledger{}
	pkgs := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && rel != "."):
			return fs.SkipDir
		case strings.HasPrefix(rel, "conformance/testdata/") && strings.HasSuffix(rel, ".txt"):
			f, err := transcript.Parse(path)
			if err != nil {
				return err
			}
			for _, id := range f.Rows {
				found.add(id, strings.TrimPrefix(rel, "conformance/testdata/"), nameAll(f.Revisions))
			}
		case strings.HasSuffix(rel, "_test.go"):
			dir := filepath.ToSlash(filepath.Dir(rel))
			pkgs[dir] = append(pkgs[dir], rel)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for dir, files := range pkgs {
		if err := goCases(root, dir, files, found); err != nil {
			return nil, err
		}
	}
	for _, list := range found {
		slices.SortFunc(list, func(a, b Case) int { return strings.Compare(a.Name, b.Name) })
	}
	return found, nil
}

// ledger has the cases of each row.
type ledger map[string][]Case

// add records that the case proves the row in the revisions; several places of one test
// add up.
func (l ledger) add(id, name string, revisions []string) {
	i := slices.IndexFunc(l[id], func(c Case) bool { return c.Name == name })
	if i < 0 {
		l[id] = append(l[id], Case{Name: name})
		i = len(l[id]) - 1
	}
	c := &l[id][i]
	c.Revisions = slices.Concat(c.Revisions, revisions)
	slices.Sort(c.Revisions)
	c.Revisions = slices.Compact(c.Revisions)
}

func nameAll(list []protocol.Revision) (out []string) {
	for _, r := range list {
		out = append(out, r.String())
	}
	return out
}
