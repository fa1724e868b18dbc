package server

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// Items are what a server offers. A nil list is not offered at all; an empty one
// that is not nil is offered and empty.
type Items struct {
	Tools             []protocol.Tool             // for tools/list
	Resources         []protocol.Resource         // for resources/list
	ResourceTemplates []protocol.ResourceTemplate // for resources/templates/list
	Prompts           []protocol.Prompt           // for prompts/list
	// PageSize is how many items a page has; zero means DefaultPageSize.
	PageSize int
	// CursorKey tells cursors of this server from others. Servers that share the
	// sessions of a client share it.
	CursorKey [2]uint64
}

// DefaultPageSize is the number of items on a page.
const DefaultPageSize = 100

// Catalog is an immutable set of Items whose lists are encoded once. Any number of
// sessions share it. Lists are sorted by name or uri, so that a listing goes on
// where it was even if the catalog was replaced between two pages.
type Catalog struct {
	tools, resources, templates, prompts list

	required map[string][]string // the required arguments of prompts
}

// NewCatalog encodes the items. It fails for an item that is not valid and for two
// of one name (tools, prompts) or uri (resources, templates).
func NewCatalog(items Items) (*Catalog, error) {
	size := cmp.Or(items.PageSize, DefaultPageSize)
	if size < 0 {
		return nil, errors.New("server: negative page size")
	}
	c := &Catalog{required: map[string][]string{}}
	for _, p := range items.Prompts {
		for _, a := range p.Arguments {
			if a.Required {
				c.required[p.Name] = append(c.required[p.Name], strings.Clone(a.Name))
			}
		}
	}
	err := errors.Join(
		build(&c.tools, "tools", items.Tools, func(t protocol.Tool) string { return t.Name }),
		build(&c.resources, "resources", items.Resources, func(r protocol.Resource) string { return r.URI }),
		build(&c.templates, "resourceTemplates", items.ResourceTemplates, func(t protocol.ResourceTemplate) string { return t.URITemplate }),
		build(&c.prompts, "prompts", items.Prompts, func(p protocol.Prompt) string { return p.Name }),
	)
	if err != nil {
		return nil, err
	}
	for i, l := range [...]*list{&c.tools, &c.resources, &c.templates, &c.prompts} {
		l.paginate(min(size, len(l.keys)+1), byte('a'+i), items.CursorKey)
	}
	return c, nil
}

// item is a member of one of the four lists.
type item interface {
	Validate() error
	AppendJSON(dst []byte) []byte
}

func build[T item](l *list, member string, items []T, key func(T) string) error {
	l.member, l.declared = member, items != nil
	sorted := slices.Clone(items)
	slices.SortStableFunc(sorted, func(a, b T) int { return strings.Compare(key(a), key(b)) })
	var text []byte
	for i, it := range sorted {
		k := key(it)
		if err := it.Validate(); err != nil {
			return fmt.Errorf("server: %s: %w", member, err)
		}
		if k == "" || !utf8.ValidString(k) {
			return fmt.Errorf("server: %s: %q cannot be asked for", member, k)
		}
		if i > 0 && k == l.keys[i-1] {
			return fmt.Errorf("server: %s: %q is there twice", member, k)
		}
		if i > 0 {
			text = append(text, ',')
		}
		l.keys = append(l.keys, strings.Clone(k))
		l.from = append(l.from, len(text))
		text = it.AppendJSON(text)
		l.to = append(l.to, len(text))
	}
	l.text = string(text)
	return nil
}

// has reports whether the list has an item of the key.
func (l *list) has(key string) bool {
	_, found := slices.BinarySearch(l.keys, key)
	return found
}

// unknown refuses what the catalog knows to be wrong before any application code
// sees it (tools and prompts, Error Handling).
func (s *State) unknown(method protocol.Method, name string, m *jsonrpc.Message) (jsonrpc.Error, bool) {
	c := s.catalog()
	switch {
	case method == protocol.MethodToolsCall && c.tools.declared && !s.cfg.serve[protocol.MethodToolsList]:
		if !c.tools.has(name) {
			return protocol.InvalidParams("unknown tool"), true
		}
	case method == protocol.MethodPromptsGet && c.prompts.declared && !s.cfg.serve[protocol.MethodPromptsList]:
		if !c.prompts.has(name) {
			return protocol.InvalidParams("unknown prompt"), true
		}
		if len(c.required[name]) == 0 {
			break
		}
		p, err := protocol.Decode[protocol.GetPromptParams](m.Body)
		for _, arg := range c.required[name] {
			if _, ok := p.Arguments[arg]; !ok || err != nil {
				return protocol.InvalidParams("missing required argument"), true
			}
		}
	}
	return jsonrpc.Error{}, false
}

// SetCatalog replaces the catalog of the session and announces the lists that
// differ, where that is declared, within Config.ChangeDelay: changes that follow each
// other are announced once. Before the session is ready the announcement waits for that.
// The capabilities stay as they were negotiated: a catalog with a kind of list that was
// not declared is refused with ErrCapability. Other errors: ErrPhase (the zero State).
func (s State) SetCatalog(now time.Time, c *Catalog) (State, Output, error) {
	if c == nil {
		c = &Catalog{}
	}
	if s.cfg == nil {
		return s, Output{}, lifecycle.ErrPhase
	}
	caps := s.cfg.env.Caps
	if c.tools.declared && !caps.Has(protocol.CapTools) || c.prompts.declared && !caps.Has(protocol.CapPrompts) ||
		(c.resources.declared || c.templates.declared) && !caps.Has(protocol.CapResources) {
		return s, Output{}, &lifecycle.Misuse{Err: lifecycle.ErrCapability, Phase: s.core.Phase()}
	}
	var o Output
	s.core.Clock(now)
	old, f := s.catalog(), s.feat.copy()
	f.catalog = c
	if s.core.Phase().Live() && s.core.Phase() != protocol.Uninitialized {
		if f.changed == 0 {
			f.due = s.core.After(s.cfg.delay)
		}
		f.changed |= old.changes(c) & caps
	}
	s.feat = f
	if s.announceDue() <= s.core.Now() {
		s.announce(&o)
	}
	return s, o, nil
}

// announceDue returns when list changes are to be announced, table.Never if there are
// none or the session is not ready.
func (s *State) announceDue() int64 {
	if s.feat == nil || s.feat.changed == 0 || s.core.Phase() != protocol.Ready {
		return table.Never
	}
	return s.feat.due
}

// changes returns the list_changed capabilities of the lists that differ.
func (c *Catalog) changes(d *Catalog) protocol.Capability {
	var set protocol.Capability
	if c.tools.text != d.tools.text {
		set |= protocol.CapToolsListChanged
	}
	if c.resources.text != d.resources.text || c.templates.text != d.templates.text {
		set |= protocol.CapResourcesListChanged
	}
	if c.prompts.text != d.prompts.text {
		set |= protocol.CapPromptsListChanged
	}
	return set
}

// version tells catalogs apart: a hash of each kind of list.
func (c *Catalog) version() string {
	v := ""
	for i, text := range [...]string{c.tools.text, c.resources.text + "\n" + c.templates.text, c.prompts.text} {
		if i > 0 {
			v += "-"
		}
		v += strconv.FormatUint(engine.Hash([2]uint64{}, uint64(i), text), 16)
	}
	return v
}

// differs returns the list_changed capabilities of the lists that are not those of a
// version.
func (c *Catalog) differs(version string) protocol.Capability {
	var set protocol.Capability
	have := strings.Split(c.version(), "-")
	for i, then := range strings.Split(version, "-") {
		if i >= len(have) || have[i] != then {
			set |= [...]protocol.Capability{protocol.CapToolsListChanged, protocol.CapResourcesListChanged, protocol.CapPromptsListChanged}[min(i, 2)]
		}
	}
	return set
}

// announce sends the list changes that are due.
func (s *State) announce(o *Output) {
	if s.feat == nil || s.feat.changed == 0 || s.core.Phase() != protocol.Ready {
		return
	}
	f := s.feat.copy()
	due := f.changed
	f.changed = 0
	s.feat = f
	for _, n := range [...]struct {
		cap protocol.Capability
		p   protocol.Params
	}{
		{protocol.CapToolsListChanged, protocol.ToolListChangedParams{}},
		{protocol.CapResourcesListChanged, protocol.ResourceListChangedParams{}},
		{protocol.CapPromptsListChanged, protocol.PromptListChangedParams{}},
	} {
		if due.Has(n.cap) {
			// Only what was declared is in the set, and the phase is right.
			_ = s.core.Notify(n.p, Call{}, o)
		}
	}
}

// list answers a list request from the catalog.
func (s *State) list(method protocol.Method, m *jsonrpc.Message, o *Output) {
	c := s.catalog()
	l, member := &c.tools, "tools"
	switch method {
	case protocol.MethodResourcesList:
		l, member = &c.resources, "resources"
	case protocol.MethodResourceTemplatesList:
		l, member = &c.templates, "resourceTemplates"
	case protocol.MethodPromptsList:
		l, member = &c.prompts, "prompts"
	}
	body, ok := l.page(member, m)
	if !ok {
		engine.Refuse(m, protocol.InvalidParams("invalid cursor"), o)
		return
	}
	engine.Reply(m, s.core.Fit(method, protocol.BodyResult, body, o.Opened, Req{}, o), o)
}
