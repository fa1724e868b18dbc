package purity_test

import (
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sansmcp/mcp/conformance/audit/purity"
)

// house returns the rules of this module.
func house() purity.Rules {
	const module = "github.com/sansmcp/mcp/"
	rules := purity.Default()
	rules.Skip = []string{"protocol/internal"}
	text := []string{"errors", "math", "math/bits", "slices", "strconv", "strings", "unicode/utf8"}
	with := func(more ...string) []string { return slices.Concat(text, more) }
	rules.Standard = map[string][]string{
		"jsonrpc":     with("bytes", "unicode/utf16"),
		"jsonrpc/sse": with("bytes", "time"),
		"protocol":    with("cmp", "maps", "time"),
		"lifecycle":   with("cmp", "fmt", "iter", "time"),
		"server":      with("cmp", "context", "fmt", "iter", "time"),
		// Reflection makes plans of types when a function is registered, and reads and writes
		// values by them. It stays in this room.
		"server/typed": with("cmp", "context", "encoding", "encoding/base64", "fmt", "maps", "math/big", "reflect", "time"),
		"client":       with("cmp", "context", "fmt", "iter", "time"),
	}
	rules.Unordered = []string{module + "protocol.Revision"}
	// What a transport is made of, beside the machines.
	heads := []string{"jsonrpc/sse", "protocol/headers"}
	core := []string{"jsonrpc/rawjson", "jsonrpc", "protocol", "lifecycle/table", "lifecycle"}
	machines := slices.Concat(core, heads, []string{"server", "client", "client/exchange"})
	rules.Layers = []purity.Layer{
		{Dir: "jsonrpc/rawjson"},
		{Dir: "jsonrpc", Imports: core[:1]},
		{Dir: "jsonrpc/sse"},
		{Dir: "protocol", Imports: core[:2]},
		{Dir: "protocol/headers", Imports: []string{"jsonrpc/rawjson", "jsonrpc", "protocol"}},
		{Dir: "lifecycle/table"},
		{Dir: "lifecycle", Imports: core},
		{Dir: "server", Imports: core},
		{Dir: "client", Imports: core},
		{Dir: "client/exchange", Imports: slices.Concat(core, heads)},
		{Dir: "conformance", Imports: machines},
		{Dir: "fuzz", Imports: append(machines[:len(machines):len(machines)], "conformance")},
		{Dir: "docs", Imports: append(machines[:len(machines):len(machines)], "conformance")},
	}
	for _, dir := range slices.Sorted(maps.Keys(rules.Standard)) {
		rules.Packages = append(rules.Packages, "./"+dir+"/...")
	}
	return rules
}

func TestHouseIsPure(t *testing.T) {
	// The go command reads the files in a process of its own, unseen by the
	// test cache; so look at them here too.
	err := filepath.WalkDir("../../..", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	findings, err := purity.Check("../../..", house())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		t.Error(f)
	}
}
