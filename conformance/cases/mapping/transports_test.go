package mapping_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	// quoted is a block of Go that says where it is from.
	quoted = regexp.MustCompile("(?s)<!-- from ([^ ]+) -->\n *```go\n(.*?) *```")
	// named is an exported name, with or without its package.
	named = regexp.MustCompile(`^[A-Za-z]\w*(\.[A-Z]\w*)+`)
	// fenced is a block of code.
	fenced = regexp.MustCompile("(?s)```.*?```")
	link   = regexp.MustCompile(`\]\(([^)#]+)`)
)

// checkTransports returns what is wrong with the page about transports: code that stands
// nowhere, names of nothing, links to nowhere.
func (r *tree) checkTransports(text string) (faults []string) {
	if faults = r.checkQuotes(text); !strings.Contains(text, "```go") {
		faults = append(faults, "no code is quoted")
	}
	known := r.identifiers("jsonrpc", "jsonrpc/pipe", "jsonrpc/sse", "protocol", "protocol/headers", "lifecycle",
		"server", "server/host", "server/registry", "server/streams", "server/stdio", "server/nethttp",
		"client", "client/links", "client/host", "client/host/fleet", "client/dial", "client/manager", "client/exchange", "client/attempt", "client/stdio", "client/nethttp", "conformance/transcript")
	bare := map[string]bool{}
	for name := range known {
		_, rest, _ := strings.Cut(name, ".")
		bare[rest] = true
	}
	for _, m := range span.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		name := named.FindString(m[1])
		pkg, _, _ := strings.Cut(name, ".")
		if name != "" && !known[name] && !bare[name] && !slices.Contains([]string{"fmt", "http", "time"}, pkg) {
			faults = append(faults, "there is no "+name)
		}
	}
	for _, m := range link.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		if _, err := os.Stat(r.at("docs/" + m[1])); err != nil {
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
		source, err := os.ReadFile(r.at(q[1]))
		if err != nil {
			faults = append(faults, err.Error())
		} else if !strings.Contains(plain(string(source)), plain(q[2])) {
			faults = append(faults, fmt.Sprintf("%s does not have %q", q[1], q[2]))
		}
	}
	return faults
}

// plain is code without its indentation, whether it stands in a comment or not.
func plain(code string) string {
	var b strings.Builder
	for line := range strings.Lines(code) {
		b.WriteString(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "//")))
		b.WriteString("\n")
	}
	return b.String()
}

// What the page about transports quotes and names is there.
func TestPageOfTransports(t *testing.T) {
	const page = "docs/transports.md"
	tree := newTree(t)
	text, err := os.ReadFile(tree.at(page))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range tree.checkTransports(string(text)) {
		t.Errorf("%s: %s", page, f)
	}
	damaged := strings.NewReplacer("`pipe.ErrStalled`", "`pipe.ErrStuck`", "`State.Step`", "`State.Steps`", "(limits.md)", "(limit.md)",
		"go d.run(ctx, job)", "d.run(ctx, job)", "<!-- from server/stdio/doc.go -->", "").Replace(string(text))
	faults := strings.Join(tree.checkTransports(damaged), "\n")
	for _, want := range []string{"no pipe.ErrStuck", "no State.Steps", "limit.md", "does not have", "say where they are from"} {
		if !strings.Contains(faults, want) {
			t.Errorf("of a damaged page it finds %q, without %q", faults, want)
		}
	}
}
