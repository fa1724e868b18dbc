package house

import (
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// noCircles are the packages whose files use each other in one direction only: functions, methods, types,
// fields, constants and variables of a file are used only by files above it.
var noCircles = []string{
	"client", "client/attempt", "client/calls", "client/catalog", "client/child", "client/dial", "client/exchange",
	"client/fleet", "client/gateway",
	"client/links", "client/manager", "client/naming", "client/oauth", "client/oauth/login", "client/oauth/store", "client/relay", "client/remote", "client/session", "jsonrpc",
	"jsonrpc/pipe", "jsonrpc/rawjson", "jsonrpc/sse", "lifecycle", "lifecycle/backoff", "lifecycle/table",
	"protocol/headers", "protocol/internal/codecgen", "protocol/schema/build", "protocol/schema/provider",
	"protocol/toolerror", "protocol/uritemplate", "server",
	"server/builtin", "server/host", "server/nethttp", "server/registry", "server/stdio", "server/streams",
	"server/typed",
}

// The files of a package do not use each other in a circle.
func TestCircles(t *testing.T) {
	for _, dir := range noCircles {
		t.Run(dir, func(t *testing.T) {
			uses := usesOf(t, "../../../"+dir, nil)
			for _, circle := range circles(uses) {
				t.Errorf("%s: a circle of %s", dir, strings.Join(circle, ", "))
			}
			if len(uses) == 0 {
				t.Error("no file uses another")
			}
		})
	}
}

// The test finds an upward call, and a type and a constant used below.
func TestBrokenCircles(t *testing.T) {
	const dir = "../../../client/manager"
	for name, low := range map[string]string{
		"a call":  "func (o *step) low(m *Manager, c *conn) { m.run(c, o) }",
		"a type":  "func low(r Report) {}",
		"a const": "var low = Received",
	} {
		text := "package manager\n\nimport (\n\t\"github.com/sansmcp/mcp/client\"\n\t\"github.com/sansmcp/mcp/lifecycle\"\n)\n\n" +
			"type step struct {\n\tEffects\n\tfirst pending\n}\n\ntype pending struct {\n\tlink Link\n\tevents []client.Event\n\tcause *lifecycle.Cause\n}\n\n" +
			"func (o *step) push(p pending) {}\n\nfunc (o *step) pop() (pending, bool) { return o.first, false }\n\n" + low + "\n"
		found := circles(usesOf(t, dir, map[string]string{"step.go": text}))
		if len(found) != 1 || !slices.Contains(found[0], "step.go") {
			t.Errorf("%s: found %q", name, found)
		}
	}
}

// usesOf returns which files each file of a package uses, and what of them. overlay may replace the text
// of a file.
func usesOf(t *testing.T, dir string, overlay map[string]string) map[string]map[string][]string {
	t.Helper()
	_, pkg, info := checked(t, dir, overlay)
	file := func(pos token.Pos) string { return filepath.Base(sources.Position(pos).Filename) }
	uses := map[string]map[string][]string{}
	for id, obj := range info.Uses {
		if obj.Pkg() != pkg {
			continue
		}
		from, to := file(id.Pos()), file(obj.Pos())
		if from == to {
			continue
		}
		if uses[from] == nil {
			uses[from] = map[string][]string{}
		}
		if !slices.Contains(uses[from][to], obj.Name()) {
			uses[from][to] = append(uses[from][to], obj.Name())
		}
	}
	return uses
}

// circles returns the sets of files that all use each other, directly or indirectly.
func circles(uses map[string]map[string][]string) (found [][]string) {
	reach := map[string]map[string]bool{}
	var walk func(from, at string)
	walk = func(from, at string) {
		for to := range uses[at] {
			if !reach[from][to] {
				reach[from][to] = true
				walk(from, to)
			}
		}
	}
	for from := range uses {
		reach[from] = map[string]bool{}
		walk(from, from)
	}
	seen := map[string]bool{}
	for from := range uses {
		if seen[from] || !reach[from][from] {
			continue
		}
		var circle []string
		for to := range reach[from] {
			if reach[to][from] {
				circle = append(circle, to)
				seen[to] = true
			}
		}
		slices.Sort(circle)
		found = append(found, circle)
	}
	return found
}
