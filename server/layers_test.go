package server_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/uritemplate"
	"github.com/sansmcp/mcp/server"
)

// layer returns Handlers with some of each kind, whose answers name them.
func layer(name string, keys []int) *server.Handlers {
	h := new(server.Handlers)
	h.Offer(protocol.CapTools | protocol.CapPrompts | protocol.CapResources)
	for _, k := range keys {
		h.Tool(protocol.Tool{Name: fmt.Sprintf("t%02d", k), Description: name, InputSchema: `{"type":"object","properties":{"n":{"type":"integer"}}}`}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult(name), nil
		})
		h.Prompt(protocol.Prompt{Name: fmt.Sprintf("p%02d", k), Description: name, Arguments: []protocol.PromptArgument{{Name: "of " + name, Required: k%2 == 0}}}, func(context.Context, server.Caller, protocol.GetPromptParams) (*protocol.GetPromptResult, error) {
			return &protocol.GetPromptResult{Description: name}, nil
		})
		h.Resource(protocol.Resource{URI: fmt.Sprintf("r:%02d/x", k), Name: name}, func(context.Context, server.Caller, protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
			return &protocol.ReadResourceResult{Contents: []protocol.ResourceContents{{URI: "r:x", Text: name}}}, nil
		})
		h.Template(protocol.ResourceTemplate{URITemplate: fmt.Sprintf("m:%02d/{x}", k), Name: name}, func(context.Context, server.Caller, protocol.ReadResourceParams, uritemplate.Values) (*protocol.ReadResourceResult, error) {
			return &protocol.ReadResourceResult{Contents: []protocol.ResourceContents{{URI: "m:x", Text: name}}}, nil
		})
	}
	h.Complete(func(context.Context, server.Caller, protocol.CompleteParams) (*protocol.CompleteResult, error) {
		return &protocol.CompleteResult{Completion: protocol.Completion{Values: []string{name}}}, nil
	})
	return h
}

// Layers behave as the Handlers that hold all of it: the same lists page by page, and the same
// answers.
func TestLayersAgree(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		keys := func(what string) []int {
			return rapid.SliceOfNDistinct(rapid.IntRange(0, 250), 0, 130, rapid.ID).Draw(rt, what)
		}
		a, b := keys("upper"), keys("under")
		upper, err := layer("upper", a).Sealed()
		if err != nil {
			rt.Fatal(err)
		}
		under, err := layer("under", b).Sealed()
		if err != nil {
			rt.Fatal(err)
		}
		both, err := upper.Over(under)
		if err != nil {
			rt.Fatal(err)
		}
		flat := server.Merge(upper, under)
		if !slices.Equal(both.Serve(), flat.Serve()) || len(both.Items().Tools) != len(flat.Items().Tools) {
			rt.Fatal(both.Serve(), flat.Serve())
		}
		laid, _ := both.Catalog()
		one, err := flat.Catalog()
		if err != nil {
			rt.Fatal(err)
		}
		for _, l := range protocol.Lists() {
			if !laid.Diff(one, l).IsZero() || !one.Diff(laid, l).IsZero() {
				rt.Fatal("the lists differ")
			}
			if d := laid.Diff(nil, l); len(d.Added) != len(one.Diff(nil, l).Added) || d.Removed != nil {
				rt.Fatal(d)
			}
		}
		x, _ := open(t, server.Config{Catalog: laid, Serve: both.Serve(), Subscribe: true})
		y, _ := open(t, server.Config{Catalog: one, Serve: flat.Serve(), Subscribe: true})
		ask := func(method, params string) string {
			m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":` + params + `}`)
			_, p := both.Receive(x, t0, m)
			_, q := flat.Receive(y, t0, m)
			_, r := both.Handle(x.Receive(t0, m))
			got, want := string(jsonrpc.Append(nil, p.Send[0].Message)), string(jsonrpc.Append(nil, q.Send[0].Message))
			if got != want || string(jsonrpc.Append(nil, r.Send[0].Message)) != want {
				rt.Fatalf("%s %s: got %s, want %s", method, params, got, want)
			}
			return got
		}
		for _, method := range []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
			params := "{}"
			for page := 0; params != "" && page < 9; page++ {
				_, cursor, more := strings.Cut(ask(method, params), `"nextCursor":"`)
				if params = ""; more {
					params = `{"cursor":"` + cursor[:strings.IndexByte(cursor, '"')] + `"}`
				}
			}
		}
		for _, k := range append([]int{251}, append(slices.Clone(a[:min(len(a), 3)]), b[:min(len(b), 3)]...)...) {
			ask("tools/call", fmt.Sprintf(`{"name":"t%02d"}`, k))
			ask("tools/call", fmt.Sprintf(`{"name":"t%02d","arguments":{"n":"x"}}`, k))
			ask("prompts/get", fmt.Sprintf(`{"name":"p%02d","arguments":{"of upper":"x"}}`, k))
			ask("resources/read", fmt.Sprintf(`{"uri":"r:%02d/x"}`, k))
			ask("resources/read", fmt.Sprintf(`{"uri":"m:%02d/1"}`, k))
			ask("resources/subscribe", fmt.Sprintf(`{"uri":"r:%02d/"}`, k))
			ask("completion/complete", fmt.Sprintf(`{"ref":{"type":"ref/prompt","name":"p%02d"},"argument":{"name":"a","value":""}}`, k))
			ask("completion/complete", fmt.Sprintf(`{"ref":{"type":"ref/resource","uri":"m:%02d/{x}"},"argument":{"name":"x","value":""}}`, k))
			ask("completion/complete", fmt.Sprintf(`{"ref":{"type":"ref/resource","uri":"r:%02d/x"},"argument":{"name":"x","value":""}}`, k))
		}
	})
}

// A catalog of layers is told from another by its items, not by how it was made.
func TestLayersAnnounce(t *testing.T) {
	seal := func(name string, keys ...int) *server.Handlers {
		h, err := layer(name, keys).Sealed()
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	over := func(a, b *server.Handlers) *server.Catalog {
		h, err := a.Over(b)
		if err != nil {
			t.Fatal(err)
		}
		c, _ := h.Catalog()
		return c
	}
	base := seal("x", 1, 2, 3)
	first := over(seal("x", 4), base)
	s, _ := open(t, server.Config{Catalog: first, Serve: base.Serve(), ListChanged: protocol.CapToolsListChanged | protocol.CapPromptsListChanged | protocol.CapResourcesListChanged, ChangeDelay: -1})
	for what, c := range map[string]struct {
		catalog *server.Catalog
		changes bool
	}{
		"made otherwise": {over(seal("x", 4, 1), seal("x", 2, 3)), false}, "hidden by the same": {over(seal("x", 4, 2), base), false},
		"hidden by another": {over(seal("y", 2), seal("x", 1, 2, 3, 4)), true}, "less": {over(seal("x"), base), true}, "nothing below": {over(seal("x", 4), seal("x")), true},
	} {
		_, out, err := s.SetCatalog(t0, c.catalog)
		if err != nil || len(out.Send) > 0 != c.changes || c.changes && len(out.Send) != 3 {
			t.Errorf("%s: %v, %v", what, out.Send, err)
		}
	}
	data := s.Snapshot()
	if restored, err := server.Restore(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: over(seal("x", 4, 1), seal("x", 2, 3)), Serve: base.Serve(), ListChanged: s.Capabilities() & (protocol.CapToolsListChanged | protocol.CapPromptsListChanged | protocol.CapResourcesListChanged)}, data, t0); err != nil || restored.Phase() != protocol.Ready {
		t.Error(err)
	}
}

// Layers of layers, registrations on top of them, and nil layers work as well.
func TestLayersOfLayers(t *testing.T) {
	a, b, c := layer("a", []int{1}), layer("b", []int{1, 2}), layer("c", []int{1, 2, 3})
	bc, err := b.Over(c)
	if err != nil {
		t.Fatal(err)
	}
	abc, err := a.Over(bc)
	if err != nil {
		t.Fatal(err)
	}
	abc.Tool(protocol.Tool{Name: "own", InputSchema: `{"type":"object"}`}, nil)
	alone, err := a.Over(nil)
	if err != nil || len(alone.Items().Tools) != 1 {
		t.Error(err)
	}
	same(t, abc.Unbound(), "own")
	if f := abc.ToolFunc("t03"); f == nil || abc.ToolFunc("own") != nil || abc.ToolFunc("none") != nil {
		t.Error("a function is missing")
	}
	catalog, err := abc.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	s, _ := open(t, server.Config{Catalog: catalog, Serve: abc.Serve()})
	for name, want := range map[string]string{"t01": `"a"`, "t02": `"b"`, "t03": `"c"`} {
		_, out := abc.Receive(s, t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"`+name+`"}}`))
		if got := string(jsonrpc.Append(nil, out.Send[0].Message)); !strings.Contains(got, `"text":`+want) {
			t.Error(got)
		}
	}
	broken := new(server.Handlers)
	broken.Tool(protocol.Tool{}, nil)
	if _, err := broken.Over(nil); err == nil {
		t.Error("a broken layer is taken")
	}
	if _, err := new(server.Handlers).Over(broken); err == nil {
		t.Error("a broken layer is taken")
	}
	if _, err := broken.Sealed(); err == nil {
		t.Error("a broken layer is taken")
	}
	if m := server.Merge(nil, a); len(m.Items().Tools) != 1 || server.Merge().Items().Tools != nil {
		t.Error("Merge")
	}
}

func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What is wrong with names and schemas is known of each layer.
func TestLayersReport(t *testing.T) {
	tools := func(names ...string) *server.Handlers {
		h := new(server.Handlers)
		for _, name := range names {
			h.Tool(protocol.Tool{Name: name}, nil)
			h.Resource(protocol.Resource{URI: "a:" + name, Name: "x"}, nil)
			h.Template(protocol.ResourceTemplate{URITemplate: "b:" + name + "{x}", Name: "x"}, nil)
			h.Prompt(protocol.Prompt{Name: name}, nil)
		}
		s, err := h.Sealed()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	h, err := tools("z!", "a!").Over(tools("m!", "a!", "ok"))
	if err != nil {
		t.Fatal(err)
	}
	c, _ := h.Catalog()
	same(t, c.NonstandardNames(), "a!", "m!", "z!")
	if c.Unchecked() != nil || len(h.Unbound()) != 16 {
		t.Error(c.Unchecked(), h.Unbound())
	}
	if c.Offers() != protocol.CapTools|protocol.CapResources|protocol.CapPrompts || (*server.Catalog)(nil).Offers() != 0 {
		t.Error(c.Offers())
	}
	for args, ok := range map[jsonrpc.Raw]bool{"{}": true, "": false, "[]": false, `{"a":`: false} {
		if err := c.CheckArguments("ok", args); (err == nil) != ok || err != nil && !errors.Is(err, lifecycle.ErrParams) {
			t.Errorf("%q: %v", args, err)
		}
	}
	if err := c.CheckArguments("none", "{}"); !errors.Is(err, lifecycle.ErrParams) {
		t.Error(err)
	}
}

// What became of a list is told name by name, whatever the catalogs are made of.
func TestDiff(t *testing.T) {
	sealed := func(name string, keys ...int) *server.Handlers {
		h, err := layer(name, keys).Sealed()
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	catalog := func(a, b *server.Handlers) *server.Catalog {
		h, err := a.Over(b)
		if err != nil {
			t.Fatal(err)
		}
		c, _ := h.Catalog()
		return c
	}
	old, next := catalog(sealed("x", 1, 5), sealed("y", 1, 2, 3, 9)), catalog(sealed("x", 0, 4, 5, 9), sealed("y", 2, 6))
	d := next.Diff(old, protocol.ToolList)
	same(t, d.Added, "t00", "t04", "t06")
	same(t, d.Removed, "t01", "t03")
	same(t, d.Changed, "t09")
	if d.IsZero() || !old.Diff(old, protocol.PromptList).IsZero() {
		t.Errorf("%+v", d)
	}
	d = (*server.Catalog)(nil).Diff(old, protocol.PromptList)
	same(t, d.Removed, "p01", "p02", "p03", "p05", "p09")
}

// A list of layers is cut for old revisions as each layer is, and knows its own cursors alone.
func TestLayersForOldClients(t *testing.T) {
	upper, under := new(server.Handlers), new(server.Handlers)
	f := func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return nil, nil
	}
	upper.Tool(protocol.Tool{Name: "a", Title: "A", OutputSchema: `{"type":"object"}`}, f)
	under.Tool(protocol.Tool{Name: "b"}, f)
	both, err := upper.Over(under)
	if err != nil {
		t.Fatal(err)
	}
	c, _ := both.Catalog()
	s, err := server.New(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: c, Serve: both.Serve()}, t0)
	if err != nil {
		t.Fatal(err)
	}
	s, _ = s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`))
	s, _ = s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	_, out := s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`))
	if got := string(jsonrpc.Append(nil, out.Send[0].Message)); got != `{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}},{"name":"b","inputSchema":{"type":"object"}}]}}` {
		t.Error(got)
	}
	for _, cursor := range []string{"x", "82003111553859c3b", strings.Repeat("y", 40)} {
		_, out = s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"`+cursor+`"}}`))
		if got := string(jsonrpc.Append(nil, out.Send[0].Message)); !strings.Contains(got, "-32602") {
			t.Error(cursor, got)
		}
	}
}

// Handlers that are sealed do not follow what they were made of, and can be added to.
func TestSealed(t *testing.T) {
	h := layer("x", []int{1})
	s, err := h.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	first, _ := s.Catalog()
	if again, _ := s.Catalog(); again != first {
		t.Error("the catalog is made again")
	}
	h.ReplaceTool(protocol.Tool{Name: "t01", Title: "other"}, nil)
	h.Prompt(protocol.Prompt{Name: "new"}, nil)
	h.Resource(protocol.Resource{URI: "n:1", Name: "x"}, nil)
	h.Template(protocol.ResourceTemplate{URITemplate: "n:{x}", Name: "x"}, nil)
	if s.Unbound() != nil || len(s.Items().Prompts) != 1 || s.Items().Tools[0].Title != "" {
		t.Errorf("%+v", s.Items())
	}
	s.Tool(protocol.Tool{Name: "more"}, nil)
	if c, err := s.Catalog(); err != nil || c == first || !slices.Equal(c.Diff(first, protocol.ToolList).Added, []string{"more"}) {
		t.Error(err)
	}
}

// What Merge returns offers the kinds that a group offers, also one of which it has nothing.
func TestMergeOffersKindsWithoutItems(t *testing.T) {
	for _, kind := range []protocol.Capability{protocol.CapTools, protocol.CapResources, protocol.CapPrompts} {
		g := new(server.Handlers)
		g.Offer(kind)
		c, err := server.Merge(g).Catalog()
		if err != nil || c.Offers() != kind {
			t.Errorf("%v: offers %v, %v", kind, c.Offers(), err)
		}
	}
}
