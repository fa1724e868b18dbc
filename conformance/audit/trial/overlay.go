package trial

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Variable is the environment variable that chooses a Fault by number, from 1.
const Variable = "SANSMCP_FAULT"

// choice is the package that the changed files call. It exists only in the overlay.
const choice = `package fault

import (
	"os"
	"strconv"
)

var On, _ = strconv.Atoi(os.Getenv("` + Variable + `"))
`

// A Fault is a change of the product that its tests should notice. It may change bodies of functions
// and values of package variables.
type Fault interface {
	// Name is the name in errors.
	Name() string
	// Files are the files that it changes, relative to the root of the module.
	Files() []string
	// Apply returns the text of one of its files with the change.
	Apply(file, text string) (string, error)
}

// Overlay writes to dir an overlay for the go command that contains every fault as a
// choice, and returns its path.
func Overlay[F Fault](root, dir string, faults []F) (string, error) {
	byFile := map[string][]int{}
	for i, f := range faults {
		for _, file := range f.Files() {
			byFile[file] = append(byFile[file], i)
		}
	}
	replace := map[string]string{}
	add := func(file, text string) error {
		to := filepath.Join(dir, strings.ReplaceAll(file, "/", "_"))
		replace[filepath.Join(root, filepath.FromSlash(file))] = to
		return os.WriteFile(to, []byte(text), 0o644)
	}
	if err := add("internal/fault/fault.go", choice); err != nil {
		return "", err
	}
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			return "", err
		}
		merged, err := merge(file, string(text), faults, byFile[file])
		if err != nil {
			return "", err
		}
		if err := add(file, merged); err != nil {
			return "", err
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, list, 0o644)
}

// part is a function or a package variable of a file: the text that a fault may change,
// and the rest.
type part struct {
	body  string // the body of the function with its braces, or the value
	frame string // the rest
	at    int    // the offset of the body
	names string // of the variables; "" for a function
	bare  bool   // a function without results
}

// merge returns the text of a file with the bodies of all faults that change it.
func merge[F Fault](file, text string, faults []F, which []int) (string, error) {
	sound, name, err := parts(text)
	if err != nil {
		return "", err
	}
	type insert struct {
		at   int
		text string
	}
	list := []insert{{name, `; import zzfault "github.com/sansmcp/mcp/internal/fault"`}}
	end := ""
	for _, i := range which {
		broken, err := faults[i].Apply(file, text)
		if err != nil {
			return "", err
		}
		other, _, err := parts(broken)
		if err != nil {
			return "", fmt.Errorf("%s: %w", faults[i].Name(), err)
		}
		if len(other) != len(sound) {
			return "", fmt.Errorf("%s: it adds or takes away a declaration of %s", faults[i].Name(), file)
		}
		for j, p := range other {
			switch {
			case p.frame != sound[j].frame:
				return "", fmt.Errorf("%s: it changes more than bodies and values in %s:\n%s", faults[i].Name(), file, p.frame)
			case p.body == sound[j].body:
			case p.names != "":
				end += fmt.Sprintf("\nfunc init() { if zzfault.On == %d { %s = %s } }\n", i+1, p.names, p.body)
			default:
				if p.bare {
					p.body = p.body[:len(p.body)-1] + "\nreturn }"
				}
				list = append(list, insert{sound[j].at + 1, fmt.Sprintf(" if zzfault.On == %d %s\n", i+1, p.body)})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b insert) int { return a.at - b.at })
	var out bytes.Buffer
	at := 0
	for _, in := range list {
		out.WriteString(text[at:in.at] + in.text)
		at = in.at
	}
	out.WriteString(text[at:] + end)
	return out.String(), nil
}

// parts splits a file. name is the end of its package name.
func parts(text string) (list []part, name int, err error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, 0, err
	}
	offset := func(pos token.Pos) int { return fset.Position(pos).Offset }
	add := func(from, to token.Pos, body ast.Node, p part) {
		a, b, c, d := offset(from), offset(body.Pos()), offset(body.End()), offset(to)
		p.body, p.frame, p.at = text[b:c], text[a:b]+text[c:d], b
		list = append(list, p)
	}
	none := &ast.Ident{}
	for _, decl := range file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil {
			add(fn.Pos(), fn.End(), fn.Body, part{bare: fn.Type.Results == nil})
			continue
		}
		gen, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range gen.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && gen.Tok == token.VAR && len(v.Values) == 1 && len(v.Names) == 1 {
				add(v.Pos(), v.End(), v.Values[0], part{names: v.Names[0].Name})
				continue
			}
			none.NamePos = spec.Pos()
			add(spec.Pos(), spec.End(), none, part{})
		}
	}
	return list, offset(file.Name.End()), nil
}
