package house

import (
	"fmt"
	"go/ast"
	"go/doc"
	"slices"
	"strings"
)

const maxLines = 400

// longFiles finds hand-written files, including tests, that are too long.
func longFiles(t *tree) (found []string) {
	for _, s := range t.files {
		if !s.generated && s.lines > maxLines {
			found = append(found, fmt.Sprintf("%s: %d lines, at most %d", s.path(), s.lines, maxLines))
		}
	}
	return found
}

// folders finds unexpected and missing folders. Hidden ones belong to
// tools.
func folders(t *tree) (found []string) {
	allowed := []string{"jsonrpc", "protocol", "lifecycle", "server", "client", "conformance", "fuzz", "docs"}
	for _, dir := range t.dirs {
		if !strings.HasPrefix(dir, ".") && !slices.Contains(allowed, dir) {
			found = append(found, dir+": no folder of this house")
		}
	}
	for _, dir := range allowed {
		if !slices.Contains(t.dirs, dir) {
			found = append(found, dir+": the house has this folder, and it is not there")
		}
	}
	return found
}

// sections finds public packages whose documentation lacks a section.
func sections(t *tree) (found []string) {
	for _, pkg := range t.packages(func(s source) bool { return s.public() && !s.test() }) {
		var text strings.Builder
		for _, s := range pkg {
			text.WriteString(s.ast.Doc.Text())
		}
		for _, title := range []string{"Loop", "Contract", "Not promised"} {
			if !slices.Contains(strings.Split(text.String(), "\n"), "# "+title) {
				found = append(found, fmt.Sprintf("%s: the package documentation has no section %q", pkg[0].dir, title))
			}
		}
	}
	return found
}

// examples finds public packages without an example that is run.
func examples(t *tree) (found []string) {
	for _, pkg := range t.packages(source.public) {
		var tests []*ast.File
		for _, s := range pkg {
			if s.test() {
				tests = append(tests, s.ast)
			}
		}
		if !slices.ContainsFunc(doc.Examples(tests...), func(e *doc.Example) bool { return e.Output != "" }) {
			found = append(found, pkg[0].dir+": no example with output")
		}
	}
	return found
}
