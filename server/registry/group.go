package registry

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// MaxName is how many characters the names of groups, tools and prompts may have.
const MaxName = 128

// DefaultVersion is the version of a group that names none.
const DefaultVersion = "1.0.0"

// DefaultTimeout is how long a tool may take to answer.
const DefaultTimeout = 30 * time.Second

// Tool is a tool with its function.
type Tool struct {
	protocol.Tool
	// Func answers the calls.
	Func server.ToolFunc
	// Timeout is how long a call may take; 0 means that of the group,
	// lifecycle.NoTimeout for ever.
	Timeout time.Duration
}

// NewTool returns a tool that can be registered. Errors: ErrName, ErrUnbound, ErrInvalid for a
// schema that cannot be used or is not that of an object. A name that some clients refuse is no error: Group.NonstandardNames reports it.
func NewTool(t protocol.Tool, f server.ToolFunc) (Tool, error) {
	if err := checkName("tool", t.Name, ""); err != nil {
		return Tool{}, err
	}
	if f == nil {
		return Tool{}, &NameError{Err: ErrUnbound, Kind: "tool", Name: t.Name}
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
	Keep Switch = iota
	On
	Off
)

// Definition says what a group is.
type Definition struct {
	// Name is the name of the group, unique in a Registry: 1 to MaxName characters.
	Name string
	// Version is its version; "" means DefaultVersion.
	Version string
	// Title is its name for display.
	Title string
	// Instructions tell a client that speaks to the group alone how to use it.
	Instructions string
	// Handlers has tools, resources, templates and prompts with their functions. It is
	// copied; nil has nothing.
	Handlers *server.Handlers
	// Tools are further tools, behind those of Handlers.
	Tools []Tool
	// Timeout is how long a call of a tool may take that has no Timeout of its own; 0 means
	// DefaultTimeout, lifecycle.NoTimeout for ever.
	Timeout time.Duration
	// Timeouts are those of single tools, by name, of Handlers or Tools, in front of Tool.Timeout.
	Timeouts map[string]time.Duration
	// Enabled switches the group on or off when it is registered.
	Enabled Switch
}

// Group is a named group: an immutable value.
type Group struct {
	def      Definition // without Handlers and Tools
	handlers *server.Handlers
	catalog  *server.Catalog
	items    server.Items
}

// NewGroup checks and copies a Definition. Errors are *NameError: ErrName, ErrDuplicate for two
// tools, resources, templates or prompts of one name, ErrUnbound for one without a function,
// ErrUnknownTool for a Timeout of a tool that is not there, ErrInvalid for what a catalog
// refuses and, with a *lifecycle.ConfigError, for a wrong setting.
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
		return nil, &NameError{Err: ErrUnbound, Kind: "item", Name: names[0], Group: d.Name}
	}
	from, err := from.Sealed() // a copy, also for what completes arguments
	if err != nil {
		return nil, invalid(err)
	}
	h, timeouts := server.Merge(from), map[string]time.Duration{}
	for _, t := range d.Tools {
		if t.Func == nil {
			return nil, &NameError{Err: ErrUnbound, Kind: "tool", Name: t.Name, Group: d.Name}
		}
		h.Tool(t.Tool, t.Func)
		if t.Timeout != 0 {
			timeouts[strings.Clone(t.Name)] = t.Timeout
		}
	}
	sealed, err := h.Sealed()
	if err != nil {
		return nil, invalid(err)
	}
	catalog, _ := sealed.Catalog() // which is made
	s := &Group{def: d, handlers: sealed, catalog: catalog, items: sealed.Items()}
	for _, name := range slices.Sorted(maps.Keys(d.Timeouts)) {
		timeouts[strings.Clone(name)] = d.Timeouts[name]
	}
	if err := d.fill(); err != nil {
		return nil, invalid(err)
	}
	if len(d.Timeouts) > 0 {
		if name := stranger(d.Timeouts, s.items.Tools); name != "" {
			return nil, &NameError{Err: ErrUnknownTool, Kind: "tool", Name: name, Group: d.Name}
		}
	}
	s.def.Handlers, s.def.Tools, s.def.Timeouts = nil, nil, timeouts
	s.def.Version, s.def.Timeout = cmp.Or(d.Version, DefaultVersion), d.Timeout
	return s, nil
}

// fill fills in the defaults of the settings.
func (d *Definition) fill() error {
	var f lifecycle.Filler
	f.Time("Timeout", &d.Timeout, DefaultTimeout, lifecycle.MayBeNone)
	for i, t := range d.Tools {
		f.Time("Tools["+strconv.Itoa(i)+"].Timeout", &t.Timeout, d.Timeout, lifecycle.MayBeNone)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Timeouts)) {
		own := d.Timeouts[name]
		f.Time("Timeouts["+strconv.Quote(cut(name))+"]", &own, d.Timeout, lifecycle.MayBeNone)
	}
	f.Choice("Enabled", int(d.Enabled), int(Off))
	return f.Err("registry")
}

// made reports whether NewGroup made s.
func (s *Group) made() bool { return s != nil && s.catalog != nil }

// Name returns the name of the group.
func (s *Group) Name() string { return s.def.Name }

// Version returns its version.
func (s *Group) Version() string { return s.def.Version }

// Info returns who the group is, for a client that speaks to it alone.
func (s *Group) Info() protocol.Implementation {
	return protocol.Implementation{Name: s.def.Name, Version: s.def.Version, Title: s.def.Title}
}

// Instructions returns how the group is used.
func (s *Group) Instructions() string { return s.def.Instructions }

// Handlers returns the functions of the group. They must not be changed.
func (s *Group) Handlers() *server.Handlers { return s.handlers }

// Catalog returns the lists of the group.
func (s *Group) Catalog() *server.Catalog { return s.catalog }

// NonstandardNames returns the names of tools that some clients refuse, sorted.
func (s *Group) NonstandardNames() []string { return s.catalog.NonstandardNames() }

// Tools returns the tools of the group, in their order. The caller owns the slice.
func (s *Group) Tools() []protocol.Tool { return append([]protocol.Tool(nil), s.items.Tools...) }

// Timeout returns how long a call of a tool of the group may take.
func (s *Group) Timeout(tool string) time.Duration {
	if own := s.def.Timeouts[tool]; own != 0 {
		return own
	}
	return s.def.Timeout
}

// config returns the Config of a session with the group alone.
func (s *Group) config(base server.Config) server.Config {
	base.Info, base.Instructions = s.Info(), s.def.Instructions
	return configured(base, s.handlers, s.catalog)
}

func checkName(kind, name, of string) error {
	if name == "" || !utf8.ValidString(name) || len(name) > 4*MaxName || utf8.RuneCountInString(name) > MaxName {
		return &NameError{Err: ErrName, Kind: kind, Name: name, Group: of}
	}
	return nil
}
