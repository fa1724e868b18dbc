// Package coverage holds the requirement catalogue against the cases that prove its
// rows: transcripts, whose head names rows, and Go tests, which name them in a line
// "rows: …" of their comment or as a subtest.
package coverage

import (
	"bufio"
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/conformance/transcript"
)

// Row is a row of the catalogue.
type Row struct {
	ID    string // never renamed
	Area  string // the page or topic
	Role  string // who has to keep to it
	Level string // MUST, SHOULD, MAY, SCHEMA or IMPLIED
	Text  string // what is required, in our words
	Test  string // how to test it
}

// TransportOnly reports whether the row asks nothing of the machines.
func (r Row) TransportOnly() bool { return strings.HasPrefix(r.Test, "transport only") }

// See returns the row that proves this one too, "" if it has a proof of its own.
func (r Row) See() string {
	if id, ok := strings.CutPrefix(r.Test, "see "); ok && rowID.MatchString(id) {
		return rowID.FindString(id)
	}
	return ""
}

var rowID = regexp.MustCompile(`^[A-Z]+-[0-9]{3}`)

// Read reads a catalogue: tab-separated, with a head line.
func Read(path string) ([]Row, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var rows []Row
	in := bufio.NewScanner(bytes.NewReader(text))
	in.Buffer(nil, 1<<20)
	for n := 1; in.Scan(); n++ {
		cells := strings.Split(in.Text(), "\t")
		if len(cells) != 6 {
			return nil, fmt.Errorf("%s:%d: %d cells", path, n, len(cells))
		}
		if n == 1 {
			continue
		}
		r := Row{cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]}
		if !rowID.MatchString(r.ID) {
			return nil, fmt.Errorf("%s:%d: %q is no row id", path, n, r.ID)
		}
		rows = append(rows, r)
	}
	return rows, in.Err()
}

// Cases returns, for each row, the cases below root that bear its id.
func Cases(root string) (map[string][]string, error) {
	cases := map[string][]string{}
	add := func(id, name string) {
		if !slices.Contains(cases[id], name) {
			cases[id] = append(cases[id], name)
		}
	}
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
				add(id, strings.TrimPrefix(rel, "conformance/testdata/"))
			}
		case strings.HasSuffix(rel, "_test.go"):
			return tests(path, rel, add)
		}
		return nil
	})
	for _, list := range cases {
		slices.Sort(list)
	}
	return cases, err
}

// tests finds the rows that a Go test file names.
func tests(path, rel string, add func(id, name string)) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || !strings.HasPrefix(fn.Name.Name, "Test") {
			continue
		}
		name := rel + " " + fn.Name.Name
		for _, line := range strings.Split(fn.Doc.Text(), "\n") {
			if ids, ok := strings.CutPrefix(line, "rows: "); ok {
				for _, id := range strings.Fields(ids) {
					add(id, name)
				}
			}
		}
		ast.Inspect(fn, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 2 {
				if sel, ok := call.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Run" {
					if lit, ok := call.Args[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
						if s, err := strconv.Unquote(lit.Value); err == nil && rowID.MatchString(s) {
							add(rowID.FindString(s), name)
						}
					}
				}
			}
			return true
		})
	}
	return nil
}

// Result is a row with the cases that prove it.
type Result struct {
	Row
	Cases []string // its own, or those of the row that it refers to
}

// Missing reports whether the row should have a case and has none.
func (r Result) Missing() bool { return !r.TransportOnly() && len(r.Cases) == 0 }

// Check joins the catalogue and the cases. It fails for a case that bears an id that
// is in no row.
func Check(rows []Row, cases map[string][]string) ([]Result, error) {
	known := map[string]bool{}
	for _, r := range rows {
		if known[r.ID] {
			return nil, fmt.Errorf("%s is there twice", r.ID)
		}
		known[r.ID] = true
	}
	var strays []string
	for id, list := range cases {
		if !known[id] {
			strays = append(strays, id+" in "+list[0])
		}
	}
	if slices.Sort(strays); len(strays) > 0 {
		return nil, fmt.Errorf("no such row: %s", strings.Join(strays, ", "))
	}
	var out []Result
	for _, r := range rows {
		id := r.ID
		if see := r.See(); see != "" && len(cases[id]) == 0 {
			id = see
		}
		out = append(out, Result{r, cases[id]})
	}
	return out, nil
}
