package house

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"
)

// The packages read by the tests of floors and circles are cached.
var (
	sources = token.NewFileSet()
	imports = importer.ForCompiler(sources, "source", nil)
)

// checked parses and checks a package as compiled here, without its tests. overlay may replace the text of a file.
func checked(t *testing.T, dir string, overlay map[string]string) (files []*ast.File, pkg *types.Package, info *types.Info) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		name := filepath.Base(path)
		if here, err := build.Default.MatchFile(dir, name); err != nil {
			t.Fatal(err)
		} else if !here || strings.HasSuffix(name, "_test.go") {
			continue
		}
		var src any
		if text, ok := overlay[name]; ok {
			src = text
		}
		f, err := parser.ParseFile(sources, path, src, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info = &types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: imports}
	if pkg, err = conf.Check(filepath.Base(dir), sources, files, info); err != nil {
		t.Fatal(err)
	}
	return files, pkg, info
}
