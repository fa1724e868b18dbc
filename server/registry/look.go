package registry

import (
	"slices"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
)

// GroupStatus says how a group is doing.
type GroupStatus struct {
	// Name and Version are those of the group.
	Name, Version string
	// Tools, Resources, Templates and Prompts are how many it has, offered or not.
	Tools, Resources, Templates, Prompts int
	// Enabled is its switch.
	Enabled bool
	// Err is why it has failed, nil if it has not.
	Err error
}

// empty is the view of a nil Registry.
var empty = New(0).view

// View returns what the groups that are on offer together.
func (r *Registry) View() *View {
	if r == nil || r.view == nil {
		return empty
	}
	return r.view
}

// Len returns how many groups there are.
func (r *Registry) Len() int {
	if r == nil {
		return 0
	}
	return len(r.entries)
}

// Names returns the names of all groups in their order. The caller owns the slice.
func (r *Registry) Names() []string { return r.names(func(entry) bool { return true }) }

// InitNames returns the names of the groups that are offered, for what a session is initialized
// with. The caller owns the slice.
func (r *Registry) InitNames() []string { return r.names(entry.offered) }

func (r *Registry) names(want func(entry) bool) []string {
	if r == nil {
		return nil
	}
	var list []string
	for _, e := range r.entries {
		if want(e) {
			list = append(list, e.server.Name())
		}
	}
	return list
}

// Groups returns the groups in their order. The caller owns the slice.
func (r *Registry) Groups() []*Group {
	if r == nil {
		return nil
	}
	var list []*Group
	for _, e := range r.entries {
		list = append(list, e.server)
	}
	return list
}

// Group returns the named group. Errors: ErrUnknownGroup.
func (r *Registry) Group(name string) (*Group, error) {
	i, ok := r.at(name)
	if !ok {
		return nil, &NameError{Err: ErrUnknownGroup, Kind: "group", Name: name}
	}
	return r.entries[i].server, nil
}

// Offered returns the group of a name if it is offered. Errors: ErrUnknownGroup, ErrDisabled,
// ErrFailed with the failure as its Cause.
func (r *Registry) Offered(name string) (*Group, error) {
	i, ok := r.at(name)
	switch {
	case !ok:
		return nil, &NameError{Err: ErrUnknownGroup, Kind: "group", Name: name}
	case r.entries[i].off:
		return nil, &NameError{Err: ErrDisabled, Kind: "group", Name: name}
	case r.entries[i].failed != nil:
		return nil, &NameError{Err: ErrFailed, Kind: "group", Name: name, Cause: r.entries[i].failed}
	}
	return r.entries[i].server, nil
}

// Status returns how the groups are doing, in their order. The caller owns the slice.
func (r *Registry) Status() []GroupStatus {
	if r == nil {
		return nil
	}
	var list []GroupStatus
	for _, e := range r.entries {
		items := e.server.items
		list = append(list, GroupStatus{
			Name: e.server.Name(), Version: e.server.Version(), Enabled: !e.off, Err: e.failed,
			Tools: len(items.Tools), Resources: len(items.Resources), Templates: len(items.ResourceTemplates), Prompts: len(items.Prompts),
		})
	}
	return list
}

// Tools returns the tools of the groups that are offered, those that are shadowed among them.
// The caller owns the slice.
func (r *Registry) Tools() []OfferedTool { return r.View().Tools() }

// Lookup returns the tool of a name that is offered. Errors: ErrUnknownTool.
func (r *Registry) Lookup(tool string) (OfferedTool, error) {
	ref, ok := r.View().Lookup(tool)
	if !ok {
		return OfferedTool{}, &NameError{Err: ErrUnknownTool, Kind: "tool", Name: tool}
	}
	return ref, nil
}

// CLIConfig returns the groups as the mcpServers of a configuration file, names sorted:
// {"mcpServers":{"files":{"type":"sdk","name":"files"}}}. Those that are not offered are among
// them only with all.
func (r *Registry) CLIConfig(all bool) protocol.Raw {
	names := r.InitNames()
	if all {
		names = r.Names()
	}
	slices.Sort(names)
	dst := []byte(`{"mcpServers":{`)
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(rawjson.AppendQuote(dst, name), `:{"type":"sdk","name":`...)
		dst = append(rawjson.AppendQuote(dst, name), '}')
	}
	return protocol.Raw(append(dst, "}}"...))
}
