package registry_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/registry"
)

// C17: a tool has a name of 1 to 128 characters, a function, and the schema of an object. A name
// that some clients refuse is reported, not refused.
func TestNewTool(t *testing.T) {
	f := says("x")
	if _, err := registry.NewTool(protocol.Tool{Name: strings.Repeat("ü", 128)}, f); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		tool protocol.Tool
		f    server.ToolFunc
		want error
	}{
		{protocol.Tool{}, f, registry.ErrName},
		{protocol.Tool{Name: strings.Repeat("ü", 129)}, f, registry.ErrName},
		{protocol.Tool{Name: strings.Repeat("x", 1<<20)}, f, registry.ErrName},
		{protocol.Tool{Name: "\xff"}, f, registry.ErrName},
		{protocol.Tool{Name: "t"}, nil, registry.ErrUnbound},
		{protocol.Tool{Name: "t", InputSchema: `{"type":"array"}`}, f, registry.ErrInvalid},
		{protocol.Tool{Name: "t", InputSchema: `{"type":"object","properties":{"a":{"type":"nothing"}}}`}, f, registry.ErrInvalid},
		{protocol.Tool{Name: "t", InputSchema: `{`}, f, registry.ErrInvalid},
	} {
		_, err := registry.NewTool(c.tool, c.f)
		fails(t, err, c.want, c.tool.Name)
		if len(err.Error()) > 500 {
			t.Errorf("%d bytes of error", len(err.Error()))
		}
	}
	if odd := group(t, "g", "fine", "a b", "ä").View().Catalog().NonstandardNames(); strings.Join(odd, ",") != "a b,ä" {
		t.Error(odd)
	}
}

// C18: a group has a name, a version that defaults to 1.0.0, and no two things of one name. What
// breaks a catalog breaks the group, and no function is missing.
func TestNewGroup(t *testing.T) {
	s := must(t, registry.Definition{Name: "g", Title: "G", Instructions: "i", Version: "2"})
	cfg := s.Config(server.Config{})
	if s.Name() != "g" || cfg.Instructions != "i" || cfg.Info.Title != "G" || cfg.Info.Name != "g" || cfg.Info.Version != "2" || len(s.View().Tools()) != 0 {
		t.Errorf("%+v", cfg.Info)
	}
	if v := group(t, "g").Config(server.Config{}).Info.Version; v != "1.0.0" {
		t.Error(v)
	}
	tool := func(name string) registry.Tool {
		return registry.Tool{Tool: protocol.Tool{Name: name}, Func: says("x")}
	}
	handlers := func(f func(*server.Handlers)) *server.Handlers {
		h := new(server.Handlers)
		f(h)
		return h
	}
	bad := tool("t")
	bad.InputSchema = "{"
	slow := tool("t")
	slow.Timeout = -2
	for _, c := range []struct {
		d    registry.Definition
		want error
		name string
	}{
		{registry.Definition{}, registry.ErrName, ""},
		{registry.Definition{Name: strings.Repeat("x", 129)}, registry.ErrName, strings.Repeat("x", 129)},
		{registry.Definition{Name: "g", Tools: []registry.Tool{tool("a"), tool("b"), tool("a")}}, registry.ErrDuplicate, "a"},
		{registry.Definition{Name: "g", Tools: []registry.Tool{tool("a")}, Handlers: handlers(func(h *server.Handlers) { h.Tool(protocol.Tool{Name: "a"}, says("")) })}, registry.ErrDuplicate, "a"},
		{registry.Definition{Name: "g", Handlers: handlers(func(h *server.Handlers) {
			h.Resource(protocol.Resource{URI: "a:b", Name: "x"}, nil)
			h.Resource(protocol.Resource{URI: "a:b", Name: "x"}, nil)
		})}, registry.ErrDuplicate, "a:b"},
		{registry.Definition{Name: "g", Handlers: handlers(func(h *server.Handlers) { h.Prompt(protocol.Prompt{}, nil) })}, registry.ErrName, ""},
		{registry.Definition{Name: "g", Handlers: handlers(func(h *server.Handlers) { h.Tool(protocol.Tool{Name: "a"}, nil) })}, registry.ErrUnbound, "a"},
		{registry.Definition{Name: "g", Handlers: handlers(func(h *server.Handlers) { h.Prompt(protocol.Prompt{Name: "a"}, nil) })}, registry.ErrUnbound, "a"},
		{registry.Definition{Name: "g", Handlers: handlers(func(h *server.Handlers) { h.Resource(protocol.Resource{URI: "a:b", Name: "x"}, nil) })}, registry.ErrUnbound, "a:b"},
		{registry.Definition{Name: "g", Handlers: handlers(func(h *server.Handlers) { h.Template(protocol.ResourceTemplate{URITemplate: "a:{b}", Name: "x"}, nil) })}, registry.ErrUnbound, "a:{b}"},
		{registry.Definition{Name: "g", Tools: []registry.Tool{{Tool: protocol.Tool{Name: "a"}}}}, registry.ErrUnbound, "a"},
		{registry.Definition{Name: "g", Tools: []registry.Tool{bad}}, registry.ErrInvalid, "g"},
		{registry.Definition{Name: "g", Handlers: handlers(func(h *server.Handlers) { h.Tool(bad.Tool, says("")) })}, registry.ErrInvalid, "g"},
		{registry.Definition{Name: "g", Tools: []registry.Tool{slow}}, registry.ErrInvalid, "g"},
		{registry.Definition{Name: "g", Timeout: -2}, registry.ErrInvalid, "g"},
		{registry.Definition{Name: "g", Timeouts: map[string]time.Duration{"b": 1, "a": 1}}, registry.ErrUnknownTool, "a"},
	} {
		s, err := registry.NewGroup(c.d)
		if s != nil {
			t.Errorf("%+v is taken", c.d)
		}
		fails(t, err, c.want, c.name)
	}
}

// What a group was made of may be changed afterwards.
func TestGroupsAreCopies(t *testing.T) {
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "a"}, says("a"))
	h.Complete(func(context.Context, server.Caller, protocol.CompleteParams) (*protocol.CompleteResult, error) {
		return &protocol.CompleteResult{Completion: protocol.Completion{Values: []string{"kept"}}}, nil
	})
	h.Prompt(protocol.Prompt{Name: "p"}, func(context.Context, server.Caller, protocol.GetPromptParams) (*protocol.GetPromptResult, error) {
		return nil, nil
	})
	d := registry.Definition{Name: "g", Handlers: h, Timeouts: map[string]time.Duration{"a": time.Second}}
	s := must(t, d)
	d.Timeouts["a"] = time.Hour
	h.ReplaceTool(protocol.Tool{Name: "a", Title: "other"}, nil)
	h.Tool(protocol.Tool{Name: "b"}, says("b"))
	h.Complete(nil)
	tools := s.View().Tools()
	tools[0].Tool.Name = "z"
	if list := s.View().Tools(); len(list) != 1 || list[0].Tool.Name != "a" || list[0].Tool.Title != "" || list[0].Timeout != time.Second {
		t.Errorf("%+v", list)
	}
	if _, out := s.View().Handlers().Receive(open(t, from(t, s).View()), t0, calls(2, "a")); !strings.Contains(sent(out), `"text":"a"`) {
		t.Error(sent(out))
	}
	m := request(3, "completion/complete", `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}}`)
	if _, out := from(t, s).View().Handlers().Receive(open(t, from(t, s).View()), t0, m); !strings.Contains(sent(out), `"kept"`) {
		t.Error(sent(out))
	}
}

// C19, C21: an empty Registry, a nil one, and one of an empty list are alike; of two groups of one
// name it is an error.
func TestFromGroups(t *testing.T) {
	for what, r := range map[string]*registry.Registry{"nil": nil, "new": registry.New(0), "empty list": from(t)} {
		if r.Len() != 0 || r.Names() != nil || r.Status() != nil || r.Groups() != nil || r.View().Tools() != nil || r.View().Names() != nil || r.CLIConfig(true) != `{"mcpServers":{}}` {
			t.Errorf("%s has something", what)
		}
		next, c, err := r.Register(group(t, "g", "t"))
		if err != nil || next.Len() != 1 || r.Len() != 0 {
			t.Error(what, err)
		}
		same(t, what, c, registry.Change{Added: []string{"g"}, Tools: server.Diff{Added: []string{"t"}}})
		if _, c := r.Unregister("g"); !none(c) {
			t.Errorf("%s: %+v", what, c)
		}
		_, _, err = r.SetEnabled("g", true)
		fails(t, err, registry.ErrUnknownGroup, "g")
	}
	_, err := registry.FromGroups(group(t, "a"), group(t, "b"), group(t, "a"))
	fails(t, err, registry.ErrDuplicate, "a")
	if _, err := registry.FromGroups(nil); !errors.Is(err, registry.ErrNil) {
		t.Error(err)
	}
	if _, _, err := registry.New(0).Register(nil); !errors.Is(err, registry.ErrNil) {
		t.Error(err)
	}
}

// C20: a group that is registered again takes the place of the old one and keeps its switch,
// unless it says otherwise; what became of the lists is reported.
func TestRegister(t *testing.T) {
	r := from(t, group(t, "a", "x", "y"), group(t, "b", "z"))
	r, _, _ = r.SetEnabled("a", false)
	second := must(t, registry.Definition{Name: "a", Tools: []registry.Tool{
		{Tool: protocol.Tool{Name: "x", Description: "other"}, Func: says("")}, {Tool: protocol.Tool{Name: "w"}, Func: says("")},
	}})
	r, c, err := r.Register(second)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "while it is off", c, registry.Change{Replaced: []string{"a"}})
	same(t, "names", r.Names(), []string{"a", "b"})
	same(t, "offered", r.View().Names(), []string{"b"})
	if none(c) {
		t.Errorf("%+v", c)
	}
	r, c, _ = r.SetEnabled("a", true)
	same(t, "switched on", c, registry.Change{Enabled: []string{"a"}, Tools: server.Diff{Added: []string{"w", "x"}}})
	r, c, _ = r.Register(group(t, "a", "x", "v"))
	same(t, "replaced", c, registry.Change{Replaced: []string{"a"}, Tools: server.Diff{Added: []string{"v"}, Removed: []string{"w"}, Changed: []string{"x"}}})
	off := registry.Definition{Name: "a", Enabled: registry.Off}
	r, c, _ = r.Register(must(t, off))
	same(t, "says off", c, registry.Change{Replaced: []string{"a"}, Disabled: []string{"a"}, Tools: server.Diff{Removed: []string{"v", "x"}}})
	off.Enabled = registry.On
	on := must(t, off)
	r, c, _ = r.Register(on)
	same(t, "says on", c, registry.Change{Replaced: []string{"a"}, Enabled: []string{"a"}})
	next, c, _ := r.Register(on)
	if next != r || !none(c) {
		t.Errorf("the same again: %+v", c)
	}
	r, c, _ = r.Register(mixed(t, "m"))
	same(t, "mixed", c, registry.Change{
		Added: []string{"m"}, Tools: server.Diff{Added: []string{"t"}}, Resources: server.Diff{Added: []string{"a:m"}},
		Templates: server.Diff{Added: []string{"m:{x}"}}, Prompts: server.Diff{Added: []string{"m-p"}},
	})
	if r.Len() != 3 {
		t.Error(r.Len())
	}
}

// C22, C23, C24: names come in the order of registration; those for initialize and for a
// configuration file are of the groups that are on, unless all are asked for.
func TestNames(t *testing.T) {
	r := from(t, group(t, "b"), group(t, `a"`), group(t, "c"))
	r, _, _ = r.SetEnabled("c", false)
	same(t, "names", r.Names(), []string{"b", `a"`, "c"})
	same(t, "init", r.View().Names(), []string{"b", `a"`})
	same(t, "config", string(r.CLIConfig(false)), `{"mcpServers":{"a\"":{"type":"sdk","name":"a\""},"b":{"type":"sdk","name":"b"}}}`)
	same(t, "all", string(r.CLIConfig(true)), `{"mcpServers":{"a\"":{"type":"sdk","name":"a\""},"b":{"type":"sdk","name":"b"},"c":{"type":"sdk","name":"c"}}}`)
	if !rawjson.Valid(string(r.CLIConfig(true))) || r.Names()[0] != "b" {
		t.Error("no JSON, or the order of names has changed")
	}
}

// C25: tools are listed in the order of groups, and what another group hides says by which.
func TestTools(t *testing.T) {
	r := from(t, group(t, "b", "x", "y"), group(t, "a", "y", "z"), group(t, "c", "y"))
	same(t, "tools", names(r.View().Tools()), []string{"b.x", "b.y", "a.y by b", "a.z", "c.y by b"})
	ref, ok := r.View().Lookup("y")
	if !ok || ref.Group != "b" || ref.Timeout != 30*time.Second || ref.ShadowedBy != "" {
		t.Errorf("%+v, %v", ref, ok)
	}
	if ref, ok := r.View().Lookup("nothing"); ok {
		t.Errorf("%+v", ref)
	}
	r, c, _ := r.SetEnabled("b", false)
	same(t, "b is off", names(r.View().Tools()), []string{"a.y", "a.z", "c.y by a"})
	same(t, "change", c, registry.Change{Disabled: []string{"b"}, Tools: server.Diff{Removed: []string{"x"}, Changed: []string{"y"}}})
	if _, out := r.View().Handlers().Receive(open(t, r.View()), t0, calls(2, "y")); !strings.Contains(sent(out), `"a.y"`) {
		t.Error(sent(out))
	}
}

// C28: the status has all groups, in order, on or off, failed or not.
func TestStatus(t *testing.T) {
	failure := errors.New("no")
	r := from(t, mixed(t, "m"), group(t, "g", "x", "y"), must(t, registry.Definition{Name: "f", Version: "3"}))
	r, _, _ = r.SetEnabled("g", false)
	r, _, _ = r.Fail("f", failure)
	want := []registry.GroupStatus{
		{Name: "m", Version: "1.0.0", Tools: 1, Resources: 1, Templates: 1, Prompts: 1, Enabled: true},
		{Name: "g", Version: "1.0.0", Tools: 2}, {Name: "f", Version: "3", Enabled: true, Err: failure},
	}
	if got := r.Status(); len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("%+v", got)
	}
	for name, want := range map[string]error{"g": registry.ErrDisabled, "f": registry.ErrFailed, "h": registry.ErrUnknownGroup} {
		_, err := r.Offered(name)
		fails(t, err, want, name)
		if errors.Is(err, failure) != (name == "f") {
			t.Error(err)
		}
	}
	if s, err := r.Offered("m"); err != nil || s.Name() != "m" {
		t.Error(err)
	}
}

// C29: SetGroups keeps the switches of those that stay; the order is that of the new list.
func TestSetGroups(t *testing.T) {
	a, b, c := group(t, "a", "x"), group(t, "b", "y"), group(t, "c", "z")
	r := from(t, a, b)
	r, _, _ = r.SetEnabled("a", false)
	r, _, _ = r.Fail("b", nil)
	next, change, err := r.SetGroups(c, b, a)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "order", next.Names(), []string{"c", "b", "a"})
	same(t, "offered", next.View().Names(), []string{"c"})
	same(t, "change", change, registry.Change{Added: []string{"c"}, Moved: true, Tools: server.Diff{Added: []string{"z"}}})
	if again, c, _ := next.SetGroups(c, b, a); again != next || !none(c) {
		t.Errorf("%+v", c)
	}
	next, change, _ = next.SetGroups(must(t, registry.Definition{Name: "a", Enabled: registry.On}), group(t, "b", "y"))
	same(t, "replaced", change, registry.Change{Replaced: []string{"a", "b"}, Removed: []string{"c"}, Enabled: []string{"a", "b"}, Moved: true, Tools: server.Diff{Added: []string{"y"}, Removed: []string{"z"}}})
	for _, list := range [][]*registry.Group{{a, a}, {nil}} {
		if r, _, err := next.SetGroups(list...); err == nil || r != next {
			t.Errorf("%v", err)
		}
	}
	if next, change, _ = next.SetGroups(); next.Len() != 0 || len(change.Removed) != 2 {
		t.Errorf("%+v", change)
	}
}

// C30: a switch that is so already changes nothing; one that is not, what is offered.
func TestSetEnabled(t *testing.T) {
	r := from(t, group(t, "a", "x"))
	for range 2 {
		next, c, err := r.SetEnabled("a", true)
		if err != nil || next != r || !none(c) {
			t.Errorf("%+v, %v", c, err)
		}
		off, c, _ := r.SetEnabled("a", false)
		same(t, "off", c, registry.Change{Disabled: []string{"a"}, Tools: server.Diff{Removed: []string{"x"}}})
		if again, c, _ := off.SetEnabled("a", false); again != off || !none(c) {
			t.Errorf("%+v", c)
		}
		r, _, _ = off.SetEnabled("a", true)
	}
	_, _, err := r.SetEnabled("b", true)
	fails(t, err, registry.ErrUnknownGroup, "b")
}

// C31: a reset clears the failure and leaves the switch alone.
func TestReset(t *testing.T) {
	r := from(t, group(t, "a", "x"))
	r, c, _ := r.Fail("a", errors.New("gone"))
	same(t, "failed", c, registry.Change{Disabled: []string{"a"}, Tools: server.Diff{Removed: []string{"x"}}})
	r, _, _ = r.SetEnabled("a", false)
	r, c, _ = r.Reset("a")
	if st := r.Status()[0]; st.Err != nil || st.Enabled || !none(c) {
		t.Errorf("%+v %+v", st, c)
	}
	if again, _, _ := r.Reset("a"); again != r {
		t.Error("a reset of what has not failed is a change")
	}
	r, c, _ = r.SetEnabled("a", true)
	same(t, "on", c, registry.Change{Enabled: []string{"a"}, Tools: server.Diff{Added: []string{"x"}}})
	_, _, err := r.Reset("b")
	fails(t, err, registry.ErrUnknownGroup, "b")
}

// C32: to unregister what is not there changes nothing.
func TestUnregister(t *testing.T) {
	r := from(t, group(t, "a", "x"), group(t, "b", "x"), group(t, "c"))
	next, c := r.Unregister("a")
	same(t, "change", c, registry.Change{Removed: []string{"a"}, Tools: server.Diff{Changed: []string{"x"}}})
	same(t, "names", next.Names(), []string{"b", "c"})
	same(t, "before", r.Names(), []string{"a", "b", "c"})
	if again, c := next.Unregister("a"); again != next || !none(c) {
		t.Errorf("%+v", c)
	}
	if s, err := next.Group("b"); err != nil || s.Name() != "b" {
		t.Error(err)
	}
	_, err := next.Group("a")
	fails(t, err, registry.ErrUnknownGroup, "a")
}

// The kinds of a Registry are declared also while it has nothing of them, and stay so.
func TestKinds(t *testing.T) {
	r := registry.New(protocol.CapTools | protocol.CapPrompts)
	s := open(t, r.View())
	if got := s.Capabilities(); got != protocol.CapTools|protocol.CapToolsListChanged|protocol.CapPrompts|protocol.CapPromptsListChanged {
		t.Error(got)
	}
	r, _, _ = r.Register(group(t, "g", "x"))
	if _, _, err := s.SetCatalog(t0, r.View().Catalog()); err != nil {
		t.Error(err)
	}
	r, _, _ = r.Register(mixed(t, "m"))
	r, _ = r.Unregister("m")
	if got := r.View().Catalog().Offers(); got != protocol.CapTools|protocol.CapPrompts|protocol.CapResources {
		t.Error(got)
	}
	// Those of a group that is off are declared, so that it can be switched on later.
	r = from(t, group(t, "a", "x"))
	off, _, _ := r.Register(must(t, registry.Definition{Name: "m", Handlers: promptsAlone(), Enabled: registry.Off}))
	if got := off.View().Catalog().Offers(); got != protocol.CapTools|protocol.CapPrompts {
		t.Error(got)
	}
}

func promptsAlone() *server.Handlers {
	h := new(server.Handlers)
	h.Offer(protocol.CapPrompts)
	return h
}

// A View is the same until something else is offered, so that whoever compares it does nothing.
func TestViewsStay(t *testing.T) {
	r := from(t, group(t, "a", "x"), group(t, "b", "y"))
	failed, _, _ := r.Fail("a", nil)
	again, c, _ := failed.Fail("a", errors.New("another"))
	if again.View() != failed.View() || !none(c) || again.Status()[0].Err.Error() != "another" {
		t.Errorf("%+v, %+v", c, again.Status()[0])
	}
	off, _, _ := failed.SetEnabled("a", false)
	if off.View() != failed.View() || failed.View() == r.View() {
		t.Error("another view of the same groups")
	}
	if _, err := off.Offered("a"); !errors.Is(err, registry.ErrDisabled) { // first, for to reset it would not help
		t.Error(err)
	}
	hidden, _, _ := r.Register(must(t, registry.Definition{Name: "c", Enabled: registry.Off}))
	if hidden.View() != r.View() {
		t.Error("another view of the same groups")
	}
}
