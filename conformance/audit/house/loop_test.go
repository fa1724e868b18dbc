package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/conformance/audit/rooms"
)

// directive, above a function, limits its lines; above a type or
// the package clause, the lines of the file.
const directive = "//sansmcp:loop max="

// codeDirective, anywhere in a file, limits its lines of code below the
// imports, without blank lines and comments.
const codeDirective = "//sansmcp:code max="

// marked are the drivers and examples that promise short loops: each has at least one
// directive.
var marked = []string{"docs/examples/loop", "docs/examples/relay", "server/host"}

// longLoops finds code that exceeds its directive.
func longLoops(t *tree) (found []string) {
	seen := map[string]bool{}
	for _, s := range t.files {
		if !s.below("docs/examples") && !rooms.IsDriver(s.dir) {
			continue
		}
		for _, group := range s.ast.Comments {
			for _, c := range group.List {
				limit, ok := strings.CutPrefix(c.Text, directive)
				lines := 0
				if ok {
					lines = t.measured(s, group)
				} else if limit, ok = strings.CutPrefix(c.Text, codeDirective); ok {
					lines = s.code
				} else {
					continue
				}
				seen[s.dir] = true
				line := t.fset.Position(c.Pos()).Line
				most, err := strconv.Atoi(limit)
				switch {
				case err != nil:
					found = append(found, fmt.Sprintf("%s:%d: %q is no number of lines", s.path(), line, limit))
				case lines == 0:
					found = append(found, fmt.Sprintf("%s:%d: the directive stands above no function, type or package", s.path(), line))
				case lines > most:
					found = append(found, fmt.Sprintf("%s:%d: %d lines, at most %d", s.path(), line, lines, most))
				}
			}
		}
	}
	for _, dir := range marked {
		if !seen[dir] {
			found = append(found, dir+": no loop is marked")
		}
	}
	return found
}

// measured returns the number of lines that a directive in the comment
// measures, or 0.
func (t *tree) measured(s source, comment *ast.CommentGroup) int {
	if comment.Pos() < s.ast.Package {
		return s.lines
	}
	for _, d := range s.ast.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Doc == comment {
				return t.fset.Position(d.End()).Line - t.fset.Position(d.Pos()).Line + 1
			}
		case *ast.GenDecl:
			if d.Tok == token.TYPE && d.Doc == comment {
				return s.lines
			}
		}
	}
	return 0
}
