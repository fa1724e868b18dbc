package mapping_test

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	// quoted is a block of Go that names its source.
	quoted = regexp.MustCompile("(?s)<!-- from ([^ ]+) -->\n *```go\n(.*?) *```")
	// named is an exported name, with or without its package.
	named = regexp.MustCompile(`^[A-Za-z]\w*(\.[A-Z]\w*)+`)
	// fenced is a block of code.
	fenced = regexp.MustCompile("(?s)```.*?```")
	link   = regexp.MustCompile(`\]\(([^)#]+)`)
)

// checkTransports returns the faults of the page about transports: code that does not exist,
// unknown names, broken links.
func (r *tree) checkTransports(page, text string) (faults []string) {
	if faults = r.checkQuotes(text); !strings.Contains(text, "```go") {
		faults = append(faults, "no code is quoted")
	}
	known := r.identifiers("jsonrpc", "jsonrpc/pipe", "jsonrpc/sse", "protocol", "protocol/headers", "lifecycle",
		"server", "server/host", "server/registry", "server/streams", "server/stdio", "server/nethttp",
		"client", "client/links", "client/session", "client/fleet", "client/dial", "client/manager", "client/exchange", "client/attempt", "client/child", "client/remote", "conformance/transcript")
	bare := map[string]bool{}
	for name := range known {
		_, rest, _ := strings.Cut(name, ".")
		bare[rest] = true
	}
	for _, m := range span.FindAllStringSubmatch(prose(text), -1) {
		name := named.FindString(m[1])
		pkg, _, _ := strings.Cut(name, ".")
		if name != "" && !known[name] && !bare[name] && !slices.Contains([]string{"fmt", "http", "time"}, pkg) {
			faults = append(faults, "there is no "+name)
		}
	}
	return append(faults, r.checkLinks(page, text)...)
}

// prose is a page without its blocks of code.
func prose(text string) string { return fenced.ReplaceAllString(text, "") }

// checkLinks returns the links of a page to what is not there.
func (r *tree) checkLinks(page, text string) (faults []string) {
	for _, m := range link.FindAllStringSubmatch(prose(text), -1) {
		if _, err := os.Stat(r.at(path.Join(path.Dir(page), m[1]))); err != nil && !strings.Contains(m[1], "://") {
			faults = append(faults, err.Error())
		}
	}
	return faults
}

// checkQuotes returns the blocks of Go that do not say where they are from, or are not there.
func (r *tree) checkQuotes(text string) (faults []string) {
	quotes := quoted.FindAllStringSubmatch(text, -1)
	if n := strings.Count(text, "```go"); n != len(quotes) {
		faults = append(faults, fmt.Sprintf("%d blocks of Go, %d say where they are from", n, len(quotes)))
	}
	for _, q := range quotes {
		if source, err := os.ReadFile(r.at(q[1])); err != nil || !strings.Contains(plain(string(source)), plain(q[2])) {
			faults = append(faults, fmt.Sprintf("%s does not have %q: %v", q[1], q[2], err))
		}
	}
	return faults
}

// hold checks a page, and a damaged copy of it, in which certain faults must be found.
func (r *tree) hold(page string, check func(page, text string) []string, damage *strings.Replacer, found ...string) {
	r.t.Helper()
	text, err := os.ReadFile(r.at(page))
	if err != nil {
		r.t.Fatal(err)
	}
	for _, f := range check(page, string(text)) {
		r.t.Errorf("%s: %s", page, f)
	}
	faults := strings.Join(check(page, damage.Replace(string(text))), "\n")
	for _, want := range found {
		if !strings.Contains(faults, want) {
			r.t.Errorf("of a damaged %s it finds %q, without %q", page, faults, want)
		}
	}
}

// plain is code without its indentation, in a comment or not.
func plain(code string) string {
	var b strings.Builder
	for line := range strings.Lines(code) {
		b.WriteString(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "//")))
		b.WriteString("\n")
	}
	return b.String()
}

// Everything that the page about transports quotes and names exists.
func TestPageOfTransports(t *testing.T) {
	tree := newTree(t)
	tree.hold("docs/transports.md", tree.checkTransports,
		strings.NewReplacer("`pipe.ErrStalled`", "`pipe.ErrStuck`", "`State.Step`", "`State.Steps`", "(limits.md)", "(limit.md)",
			"go d.run(ctx, job)", "d.run(ctx, job)", "<!-- from server/stdio/doc.go -->", ""),
		"no pipe.ErrStuck", "no State.Steps", "limit.md", "does not have", "say where they are from")
}
