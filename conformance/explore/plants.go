package explore

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Plant is a fault to be put into the product: in one function, old text and new.
type Plant struct {
	Scope string // where it is found
	Steps int    // of the shortest trace
	File  string // in the module
	Old   string // in one function of the file
	New   string // what takes its place
	Says  string // part of what is reported
}

// PlantVariable is the variable of the environment that chooses a plant by number, from 1.
const PlantVariable = "SANSMCP_FAULT"

// plantChoice is the package that planted files ask. It is in the overlay only.
const plantChoice = `package fault

import (
	"os"
	"strconv"
)

var On, _ = strconv.Atoi(os.Getenv("` + PlantVariable + `"))
`

// ReadPlants reads plants from a text: a line "@ SCOPE STEPS FILE: SAYS", then the lines of the
// old text after "-", then those of the new after "+".
func ReadPlants(text string) (list []Plant, err error) {
	for n, line := range strings.Split(text, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		switch line[0] {
		case '@':
			var p Plant
			if _, err := fmt.Sscanf(line, "@ %s %d %s", &p.Scope, &p.Steps, &p.File); err != nil {
				return nil, fmt.Errorf("explore: line %d of the plants: %w", n+1, err)
			}
			_, p.Says, _ = strings.Cut(line, ": ")
			p.File = strings.TrimSuffix(p.File, ":")
			list = append(list, p)
		case '-':
			list[len(list)-1].Old += line[1:] + "\n"
		case '+':
			list[len(list)-1].New += line[1:] + "\n"
		default:
			return nil, fmt.Errorf("explore: line %d of the plants: %q", n+1, line)
		}
	}
	return list, nil
}

// Sow writes to dir an overlay for the go command in which every plant can be chosen, and returns
// its path. It fails if the old text of a plant is not in one place of its file.
func Sow(root, dir string, plants []Plant) (string, error) {
	replace := map[string]string{}
	add := func(file, text string) error {
		to := filepath.Join(dir, strings.ReplaceAll(file, "/", "_"))
		replace[filepath.Join(root, filepath.FromSlash(file))] = to
		return os.WriteFile(to, []byte(text), 0o644)
	}
	if err := add("internal/fault/fault.go", plantChoice); err != nil {
		return "", err
	}
	var files []string
	for _, p := range plants {
		files = append(files, p.File)
	}
	slices.Sort(files)
	for _, file := range slices.Compact(files) {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			return "", err
		}
		sown, err := sow(string(text), file, plants)
		if err != nil {
			return "", err
		}
		if err := add(file, sown); err != nil {
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

// sow puts the plants of a file in front of the bodies of their functions.
func sow(text, file string, plants []Plant) (string, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, text, 0)
	if err != nil {
		return "", err
	}
	for _, d := range slices.Backward(tree.Decls) {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		from, to := set.Position(f.Body.Lbrace).Offset+1, set.Position(f.Body.Rbrace).Offset
		body, before := text[from:to], ""
		for i, p := range plants {
			if p.File != file || !strings.Contains(body, p.Old) {
				continue
			}
			before += fmt.Sprintf("\nif planted.On == %d {\n%s\n", i+1, strings.Replace(body, p.Old, p.New, 1))
			if f.Type.Results == nil {
				before += "return\n"
			}
			before += "}\n"
		}
		text = text[:from] + before + text[from:]
	}
	for i, p := range plants {
		if p.File == file && strings.Count(text, fmt.Sprintf("planted.On == %d {", i+1)) != 1 {
			return "", fmt.Errorf("explore: plant %d, %s: its text is not in one function:\n%s", i+1, file, p.Old)
		}
	}
	end := set.Position(tree.Name.End()).Offset
	return text[:end] + "\n\nimport planted \"github.com/sansmcp/mcp/internal/fault\"\n" + text[end:], nil
}
