package purity_test

import (
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sansmcp/mcp/conformance/audit/purity"
	"github.com/sansmcp/mcp/conformance/audit/rooms"
)

// house returns the rules of this module.
func house() purity.Rules {
	const module = "github.com/sansmcp/mcp/"
	rules := purity.Default()
	rules.Skip = []string{"protocol/internal"}
	text := []string{"errors", "math", "math/bits", "slices", "strconv", "strings", "unicode/utf8"}
	with := func(list []string, more ...string) []string { return slices.Concat(list, more) }
	rules.Standard = map[string][]string{
		"jsonrpc":     with(text, "bytes", "unicode/utf16"),
		"jsonrpc/sse": with(text, "bytes", "time"),
		"protocol":    with(text, "cmp", "maps", "time"),
		// Package regexp matches patterns, in time linear in the text and
		// without visible state; they use Unicode. Dates, addresses and
		// percent-encoding are read as the standard library reads them.
		"protocol/schema": with(text, "cmp", "iter", "maps", "net/netip", "net/url", "regexp", "time", "unicode", "unicode/utf16"),
		// The message names the type of an error from outside of this module.
		"protocol/toolerror": with(text, "fmt", "time"),
		"lifecycle":          with(text, "cmp", "fmt", "iter", "time"),
		"protocol/headers":   with(text, "encoding/base64"),
		// Only this package computes sums that others must not be able to compute.
		"protocol/seal": with(text, "crypto/hmac", "crypto/sha256", "encoding/base64", "encoding/binary", "time"),
		"server":        with(text, "cmp", "context", "fmt", "iter", "maps", "time"),
		// Checksums detect a delta for another record; they do not prevent forgery.
		"server/internal/delta": with(text, "bytes", "encoding/binary", "fmt", "hash/crc64"),
		"server/builtin":        with(text, "cmp", "context", "math/big", "time"),
		// Reflection makes plans of types when a function is registered, and reads and writes
		// values by them. It stays in this package.
		"server/typed": with(text, "cmp", "context", "encoding", "encoding/base64", "fmt", "maps", "math/big", "reflect", "time"),
		"client":       with(text, "cmp", "context", "fmt", "iter", "time"),
		// Untrusted urls and addresses are read as the connecting code reads them, and secrets
		// are derived.
		"client/oauth": with(text, "cmp", "crypto/hmac", "crypto/sha256", "crypto/subtle", "encoding/base64", "fmt", "net/netip", "net/url", "time"),
		// Names of tools shown to people are checked character by character.
		"client/naming":  with(text, "cmp", "unicode"),
		"client/catalog": with(text, "cmp", "fmt", "iter", "maps", "path", "time"),
		// Settings of the caller are copied, maps among them.
		"client/manager": with(text, "cmp", "fmt", "iter", "maps", "time"),
		"client/relay":   with(text, "cmp", "context", "fmt", "iter", "maps", "time"),
	}
	rules.Unordered = []string{module + "protocol.Revision"}
	rules.Drivers = rooms.Drivers()
	core := []string{"jsonrpc/rawjson", "jsonrpc", "protocol", "lifecycle/table", "lifecycle"}
	// The parts of a transport other than the machines.
	heads := []string{"jsonrpc/sse", "protocol/headers"}
	machines := slices.Concat(core, heads, []string{"server", "server/streams", "server/typed", "server/registry", "server/builtin", "server/guard", "client", "client/exchange", "client/oauth", "client/relay", "client/manager", "client/attempt", "client/naming", "client/catalog", "client/calls"})
	everything := with(machines, rooms.Drivers()...)
	rules.Layers = []purity.Layer{
		{Dir: "jsonrpc/rawjson"},
		{Dir: "jsonrpc", Imports: core[:1]},
		{Dir: "jsonrpc/sse"},
		{Dir: "protocol", Imports: core[:2]},
		{Dir: "protocol/headers", Imports: core[:3]},
		{Dir: "lifecycle/table"},
		{Dir: "lifecycle", Imports: core},
		{Dir: "server", Imports: with(core, "protocol/headers")}, // what a schema says of headers is compiled with it
		{Dir: "server/streams", Imports: with(core, "jsonrpc/sse", "protocol/headers", "server")},
		{Dir: "server/guard", Imports: with(core, "protocol/headers")},
		{Dir: "server/typed", Imports: with(core, "server")},
		{Dir: "server/registry", Imports: with(core, "server")},
		{Dir: "server/builtin", Imports: with(core, "server", "server/registry")},
		{Dir: "client", Imports: core},
		{Dir: "client/exchange", Imports: with(core, heads...)},
		{Dir: "client/oauth", Imports: with(core, "protocol/headers")},
		{Dir: "client/internal/sendqueue", Imports: with(core, "client")},
		{Dir: "client/internal/waits", Imports: with(core)},
		{Dir: "client/manager", Imports: with(core, "client")},
		{Dir: "client/attempt", Imports: core},
		{Dir: "client/naming", Imports: core},
		{Dir: "client/catalog", Imports: with(core, "client", "client/manager", "client/naming")},
		{Dir: "client/calls", Imports: with(core, "client", "client/attempt", "client/catalog", "client/manager", "client/naming")},
		{Dir: "client/relay", Imports: with(core, "client", "client/catalog", "client/manager", "client/naming", "server")},
		// The packages with I/O: no pure package imports them.
		{Dir: "jsonrpc/pipe", Imports: machines},
		{Dir: "server/host", Imports: machines},
		{Dir: "server/stdio", Imports: with(machines, "jsonrpc/pipe", "server/host")},
		{Dir: "server/internal/watch", Imports: machines},
		{Dir: "server/internal/logins", Imports: with(machines, "client/oauth/store")},
		{Dir: "server/internal/cluster"},
		{Dir: "server/internal/delta"},
		{Dir: "server/nethttp", Imports: with(machines, "server/host", "server/internal/cluster", "server/internal/delta")},
		{Dir: "client/links", Imports: with(machines, "client/internal/sendqueue", "client/internal/waits")},
		{Dir: "client/child", Imports: with(machines, "jsonrpc/pipe", "client/links")},
		{Dir: "client/session", Imports: with(machines, "client/internal/sendqueue", "client/internal/waits", "client/links")},
		{Dir: "client/remote", Imports: with(machines, "client/internal/waits", "client/links", "client/session")}, // for its tests
		{Dir: "client/oauth/store", Imports: machines},
		{Dir: "client/oauth/login", Imports: with(machines, "client/internal/waits", "client/oauth/store")},
		{Dir: "client/fleet", Imports: with(machines, "client/session", "client/internal/waits", "client/links")},
		{Dir: "client/dial", Imports: with(machines, "client/links", "client/child", "client/remote")},
		{Dir: "client/gateway", Imports: with(machines, "client/relay", "client/dial", "client/internal/sendqueue", "client/links", "client/child", "client/remote", "server/host", "server/stdio", "server/nethttp", "jsonrpc/pipe")},
		// Packages outside of the product.
		{Dir: "conformance", Imports: everything},
		{Dir: "fuzz", Imports: with(everything, "conformance")},
		{Dir: "docs", Imports: with(everything, "conformance")},
	}
	for _, dir := range slices.Sorted(maps.Keys(rules.Standard)) {
		rules.Packages = append(rules.Packages, "./"+dir+"/...")
	}
	return rules
}

func TestHouseIsPure(t *testing.T) {
	// The go command reads the files in its own process, unseen by the
	// test cache; so stat them here too.
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
