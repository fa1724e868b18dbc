package house

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// tree is the parsed source of a checkout.
type tree struct {
	fset  *token.FileSet
	files []source
	dirs  []string // the top level
}

// source is one Go file.
type source struct {
	dir, name string
	ast       *ast.File
	lines     int
	code      int // lines below the imports that are neither blank nor comments
	generated bool
	nested    bool // belongs to a nested module
}

func (s source) test() bool   { return strings.HasSuffix(s.name, "_test.go") }
func (s source) path() string { return path.Join(s.dir, s.name) }

// below reports whether the file is in one of the folders or below it.
func (s source) below(folders ...string) bool {
	return slices.ContainsFunc(folders, func(f string) bool {
		return s.dir == f || strings.HasPrefix(s.dir, f+"/")
	})
}

// product reports whether the file belongs to the product, pure or with I/O.
func (s source) product() bool {
	return s.below("jsonrpc", "protocol", "lifecycle", "server", "client") && !s.below("protocol/internal")
}

// public reports whether the file belongs to a package that users can import.
func (s source) public() bool { return s.product() && !strings.Contains(s.dir, "/internal/") }

func load(fsys fs.FS) (*tree, error) {
	t := &tree{fset: token.NewFileSet()}
	var modules []string
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		if d.IsDir() {
			if !strings.Contains(name, "/") {
				t.dirs = append(t.dirs, name)
			}
			if strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules" {
				return fs.SkipDir
			}
			if _, err := fs.Stat(fsys, name+"/go.mod"); err == nil {
				modules = append(modules, name)
			}
			return nil
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(t.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		s := source{
			dir:       path.Dir(name),
			name:      path.Base(name),
			ast:       f,
			lines:     bytes.Count(text, []byte("\n")),
			code:      codeLines(text),
			generated: ast.IsGenerated(f),
		}
		s.nested = s.below(modules...)
		t.files = append(t.files, s)
		return nil
	})
	return t, err
}

// codeLines counts the lines below the imports of a file that are neither blank nor comments.
func codeLines(text []byte) int {
	var scan scanner.Scanner
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(text))
	scan.Init(file, text, nil, 0) // comments are left out
	lines := map[int]bool{}
	above := true // only imports so far
	for {
		pos, tok, literal := scan.Scan()
		switch tok {
		case token.EOF:
			return len(lines)
		case token.CONST, token.FUNC, token.TYPE, token.VAR:
			above = false
		}
		if above || tok == token.SEMICOLON && literal == "\n" {
			continue
		}
		first := file.Line(pos)
		for n := range strings.Count(literal, "\n") + 1 {
			lines[first+n] = true
		}
	}
}

// packages groups the files that keep accepts by directory, in the order of
// the directories.
func (t *tree) packages(keep func(source) bool) [][]source {
	byDir := map[string][]source{}
	var dirs []string
	for _, s := range t.files {
		if keep(s) {
			if byDir[s.dir] == nil {
				dirs = append(dirs, s.dir)
			}
			byDir[s.dir] = append(byDir[s.dir], s)
		}
	}
	slices.Sort(dirs)
	var out [][]source
	for _, dir := range dirs {
		out = append(out, byDir[dir])
	}
	return out
}
