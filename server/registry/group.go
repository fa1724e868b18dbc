package registry

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// defaultVersion is the version of a group whose Definition has none.
const defaultVersion = "1.0.0"

// defaultTimeout is how long a tool may take to answer.
const defaultTimeout = 30 * time.Second

// Tool is a tool with its function.
type Tool struct {
	protocol.Tool
	// Func answers the calls.
	Func server.ToolFunc
	// Timeout is how long a call may take; 0 means that of the group,
	// lifecycle.NoTimeout no limit.
	Timeout time.Duration
}

// NewTool returns a tool that can be registered. Errors: ErrInvalid, also for a
// schema that cannot be used or is not that of an object. A name that some clients refuse is no
// error: server.Catalog.NonstandardNames reports it.
func NewTool(t protocol.Tool, f server.ToolFunc) (Tool, error) {
	if err := checkName("tool", t.Name, ""); err != nil {
		return Tool{}, err
	}
	if f == nil {
		return Tool{}, &NameError{Err: errUnbound, Kind: "tool", Name: t.Name}
	}
	if _, err := server.NewCatalog(server.Items{Tools: []protocol.Tool{t}}); err != nil {
		return Tool{}, &NameError{Err: ErrInvalid, Kind: "tool", Name: t.Name, Cause: err}
	}
	return Tool{Tool: t, Func: f}, nil
}

// Switch says whether a group is on. The zero Switch leaves it as it is, and is on for a new one.
type Switch uint8

// The switches.
const (
	Unchanged Switch = iota
	On
	Off
)

// Definition says what a group is.
type Definition struct {
	// Name is the name of the group, unique in a Registry: 1 to 128 characters.
	Name string
	// Version is its version; "" means 1.0.0.
	Version string
	// Title is its name for display.
	Title string
	// Instructions tell a client of a session with only this group how to use it.
	Instructions string
	// Handlers has tools, resources, templates and prompts with their functions. It is copied; nil
	// is empty.
	Handlers *server.Handlers
	// Tools are further tools, after those of Handlers.
	Tools []Tool
	// Timeout is how long a call of a tool without its own Timeout may take; 0 means 30 s,
	// lifecycle.NoTimeout no limit.
	Timeout time.Duration
	// Timeouts are timeouts of single tools of Handlers or Tools, by name. They override
	// Tool.Timeout.
	Timeouts map[string]time.Duration
	// Enabled switches the group on or off when it is registered.
	Enabled Switch
}

// Group is a named group: an immutable value.
type Group struct {
	info         protocol.Implementation
	instructions string
	enabled      Switch
	view         *View
}

// NewGroup checks and copies a Definition. Errors are *NameError: ErrInvalid for two
// tools, resources, templates or prompts of one name, one without a function, a Timeout of an absent
// tool, what a catalog refuses and, with a *lifecycle.ConfigError, for a wrong setting.
func NewGroup(d Definition) (*Group, error) {
	if err := checkName("group", d.Name, ""); err != nil {
		return nil, err
	}
	invalid := func(cause error) error {
		return &NameError{Err: ErrInvalid, Kind: "group", Name: d.Name, Cause: cause}
	}
	from := d.Handlers
	if from == nil {
		from = new(server.Handlers)
	}
	if err := unique(d.Name, from.Items(), d.Tools); err != nil {
		return nil, err
	}
	if names := from.Unbound(); names != nil {
		return nil, &NameError{Err: errUnbound, Kind: "item", Name: names[0], Group: d.Name}
	}
	from, err := from.Sealed() // a copy, also for what completes arguments
	if err != nil {
		return nil, invalid(err)
	}
	h, timeouts := server.Merge(from), map[string]time.Duration{}
	for _, t := range d.Tools {
		if t.Func == nil {
			return nil, &NameError{Err: errUnbound, Kind: "tool", Name: t.Name, Group: d.Name}
		}
		h.Tool(t.Tool, t.Func)
		timeouts[t.Name] = t.Timeout
	}
	sealed, err := h.Sealed()
	if err != nil {
		return nil, invalid(err)
	}
	if err := d.fill(); err != nil {
		return nil, invalid(err)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Timeouts)) {
		if sealed.ToolFunc(name) == nil {
			return nil, &NameError{Err: errUnknownTool, Kind: "tool", Name: name, Group: d.Name}
		}
		timeouts[name] = d.Timeouts[name]
	}
	return &Group{
		info:         protocol.Implementation{Name: d.Name, Version: cmp.Or(d.Version, defaultVersion), Title: d.Title},
		instructions: d.Instructions, enabled: d.Enabled,
		view: viewOf(d.Name, sealed, func(tool string) time.Duration { return cmp.Or(timeouts[tool], d.Timeout) }),
	}, nil
}

// fill fills in the defaults of the settings.
func (d *Definition) fill() error {
	var f lifecycle.Filler
	f.Time("Timeout", &d.Timeout, defaultTimeout, lifecycle.MayBeNone)
	for i, t := range d.Tools {
		f.Time("Tools["+strconv.Itoa(i)+"].Timeout", &t.Timeout, d.Timeout, lifecycle.MayBeNone)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Timeouts)) {
		own := d.Timeouts[name]
		f.Time("Timeouts["+strconv.Quote(rawjson.Clip(name, maxName))+"]", &own, d.Timeout, lifecycle.MayBeNone)
	}
	f.Choice("Enabled", int(d.Enabled), int(Off))
	return f.Err("registry")
}

// made reports whether NewGroup made g.
func (g *Group) made() bool { return g != nil && g.view != nil }

// Name returns the name of the group.
func (g *Group) Name() string { return g.info.Name }

// View returns what a session is offered that speaks to the group alone.
func (g *Group) View() *View { return g.view.orEmpty() }

// Config returns cfg for such a session: with the View, and with Info and Instructions of the
// group.
func (g *Group) Config(cfg server.Config) server.Config {
	cfg.Info, cfg.Instructions = g.info, g.instructions
	return g.View().Config(cfg)
}

func checkName(kind, name, of string) error {
	if name == "" || !utf8.ValidString(name) || len(name) > 4*maxName || utf8.RuneCountInString(name) > maxName {
		return &NameError{Err: errName, Kind: kind, Name: name, Group: of}
	}
	return nil
}

// unique finds what has an invalid name, or the name of another.
func unique(of string, items server.Items, tools []Tool) error {
	for _, t := range tools {
		items.Tools = append(items.Tools, t.Tool)
	}
	return cmp.Or(
		distinct(of, "tool", items.Tools, func(t protocol.Tool) string { return t.Name }),
		distinct(of, "prompt", items.Prompts, func(p protocol.Prompt) string { return p.Name }),
		distinct(of, "resource", items.Resources, func(r protocol.Resource) string { return r.URI }),
		distinct(of, "template", items.ResourceTemplates, func(t protocol.ResourceTemplate) string { return t.URITemplate }),
	)
}

func distinct[T any](of, kind string, list []T, key func(T) string) error {
	seen := map[string]bool{}
	for _, it := range list {
		name := key(it)
		if kind == "tool" || kind == "prompt" {
			if err := checkName(kind, name, of); err != nil {
				return err
			}
		}
		if seen[name] {
			return &NameError{Err: errDuplicate, Kind: kind, Name: name, Group: of}
		}
		seen[name] = true
	}
	return nil
}
