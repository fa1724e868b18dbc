package mapping_test

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

var (
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	anchor  = regexp.MustCompile(`\]\(([^)#:]*)#([^)]+)\)`)
	example = regexp.MustCompile(`\./(docs/examples/\w+)`)
)

// checkPage returns the faults of a page for people: quoted code that does not exist, broken links,
// missing programs.
func (r *tree) checkPage(page, text string) (faults []string) {
	faults = append(r.checkQuotes(text), r.checkLinks(page, text)...)
	for _, m := range anchor.FindAllStringSubmatch(prose(text), -1) {
		other := prose(text)
		if m[1] != "" {
			b, err := os.ReadFile(r.at(path.Join(path.Dir(page), m[1])))
			if err != nil {
				faults = append(faults, err.Error())
				continue
			}
			other = string(b)
		}
		found := false
		for _, h := range heading.FindAllStringSubmatch(other, -1) {
			found = found || slug(h[1]) == m[2]
		}
		if !found {
			faults = append(faults, fmt.Sprintf("%s#%s is no heading", m[1], m[2]))
		}
	}
	for _, m := range example.FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(r.at(m[1])); err != nil {
			faults = append(faults, err.Error())
		}
	}
	return faults
}

// slug is the anchor of a heading.
func slug(heading string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == ' ':
			return '-'
		case c == '-' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			return c
		}
		return -1
	}, strings.ToLower(heading))
}

// Everything that the pages for people quote and link to exists.
func TestPagesForPeople(t *testing.T) {
	tree := newTree(t)
	for _, page := range []string{"README.md", "CONTRIBUTING.md", "docs/packages.md", "docs/glossary.md", "docs/authorization.md"} {
		tree.hold(page, tree.checkPage, strings.NewReplacer())
	}
	if text, err := os.ReadFile(tree.at("README.md")); err != nil || strings.Count(string(text), "\n") > 120 {
		t.Error("README.md has more than 120 lines", err)
	}
	tree.hold("docs/guide.md", tree.checkPage,
		strings.NewReplacer("](#call-many)", "](#call-some)", "(limits.md)", "(limit.md)", "./docs/examples/users", "./docs/examples/user",
			"go d.run(ctx, job)", "d.run(ctx, job)", "<!-- from docs/examples/tool/main.go -->", ""),
		"#call-some", "limit.md", "examples/user:", "does not have", "say where they are from")
}
