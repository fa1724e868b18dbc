// Command targets checks that packages compile for other systems:
//
//	go run ./conformance/audit/targets js/wasm,windows/amd64 ./server/...
//
// It checks the types of the packages and of all their imports, as the compiler does before
// generating code: files excluded by constraints, names that a system lacks, constants that overflow.
// It does not compile, which would take a minute of a core for each system, most of it for the
// standard library, whose function bodies it skips.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: targets GOOS/GOARCH,... PACKAGES")
		os.Exit(2)
	}
	failed := false
	for target := range strings.SplitSeq(os.Args[1], ",") {
		n, err := check(".", target, os.Args[2:]...)
		fmt.Printf("%s: %d packages\n", target, n)
		if err != nil {
			fmt.Println(err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

// listed is the output of go list for a package.
type listed struct {
	ImportPath string
	Dir        string
	Standard   bool
	GoFiles    []string
	ImportMap  map[string]string
	Error      *struct{ Err string }
	Module     *struct{ GoVersion string }
}

// check checks the packages of the patterns, as the go command sees them in dir, for a target
// GOOS/GOARCH without cgo. It returns how many were not of the standard library.
func check(dir, target string, patterns ...string) (int, error) {
	system, arch, _ := strings.Cut(target, "/")
	cmd := exec.Command("go", append([]string{"list", "-e", "-deps", "-json=ImportPath,Dir,Standard,GoFiles,ImportMap,Error,Module"}, patterns...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("go list: %w: %s", err, stderr.String())
	}
	sizes := types.SizesFor("gc", arch)
	if sizes == nil {
		return 0, fmt.Errorf("no such architecture: %s", target)
	}
	fset := token.NewFileSet()
	done := packages{"unsafe": types.Unsafe}
	var errs []error
	n := 0
	for list := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := list.Decode(&p); errors.Is(err, io.EOF) {
			return n, errors.Join(errs...)
		} else if err != nil {
			return n, fmt.Errorf("what go list says: %w", err)
		}
		if p.ImportPath == "unsafe" {
			continue
		}
		if p.Error != nil {
			errs = append(errs, errors.New(p.Error.Err))
		}
		if !p.Standard {
			n++
		}
		// The list has imports before their importers.
		done[p.ImportPath] = done.check(fset, &p, sizes, func(err error) { errs = append(errs, err) })
	}
}

// packages are the checked packages, by import path.
type packages map[string]*types.Package

// check checks one package, after its imports, and reports each error.
func (done packages) check(fset *token.FileSet, p *listed, sizes types.Sizes, report func(error)) *types.Package {
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			report(err)
			continue
		}
		files = append(files, f)
	}
	conf := types.Config{
		IgnoreFuncBodies: p.Standard,
		Importer: importer(func(path string) (*types.Package, error) {
			if to, ok := p.ImportMap[path]; ok {
				path = to
			}
			if pkg := done[path]; pkg != nil {
				return pkg, nil
			}
			return nil, fmt.Errorf("%s is not there", path)
		}),
		Sizes: sizes,
		Error: report,
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		conf.GoVersion = "go" + p.Module.GoVersion
	}
	pkg, _ := conf.Check(p.ImportPath, fset, files, nil) // errors went to report
	return pkg
}

type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }
