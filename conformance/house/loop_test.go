package house

import (
	"fmt"
	"go/ast"
	"strconv"
	"strings"
)

// directive, above a function, says how many lines it may have; above the
// package clause, how many the file may have.
const directive = "//sansmcp:loop max="

// longLoops finds what is longer than its directive allows, in files below
// folder.
func longLoops(t *tree, folder string) (found []string) {
	for _, s := range t.files {
		if !s.below(folder) {
			continue
		}
		whole := s.ast.Package
		for _, group := range s.ast.Comments {
			for _, c := range group.List {
				limit, ok := strings.CutPrefix(c.Text, directive)
				if !ok {
					continue
				}
				lines := 0
				if c.Pos() < whole {
					lines = s.lines
				} else if f := documented(s.ast, group); f != nil {
					lines = t.fset.Position(f.End()).Line - t.fset.Position(f.Pos()).Line + 1
				}
				line := t.fset.Position(c.Pos()).Line
				most, err := strconv.Atoi(limit)
				switch {
				case err != nil:
					found = append(found, fmt.Sprintf("%s:%d: %q is no number of lines", s.path(), line, limit))
				case lines == 0:
					found = append(found, fmt.Sprintf("%s:%d: the directive stands above no function", s.path(), line))
				case lines > most:
					found = append(found, fmt.Sprintf("%s:%d: %d lines, at most %d", s.path(), line, lines, most))
				}
			}
		}
	}
	return found
}

// documented returns the function whose comment is doc.
func documented(f *ast.File, doc *ast.CommentGroup) *ast.FuncDecl {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Doc == doc {
			return fn
		}
	}
	return nil
}
