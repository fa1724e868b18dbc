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

// Names returns the names of all groups in their order; View().Names has those that are offered.
// The caller owns the slice.
func (r *Registry) Names() (list []string) {
	for _, g := range r.Groups() {
		list = append(list, g.Name())
	}
	return list
}

// Groups returns the groups in their order. The caller owns the slice.
func (r *Registry) Groups() (list []*Group) {
	for _, e := range r.all() {
		list = append(list, e.group)
	}
	return list
}

// Group returns the group of a name, offered or not. Errors: ErrUnknown.
func (r *Registry) Group(name string) (*Group, error) {
	i, ok := r.at(name)
	if !ok {
		return nil, &NameError{Err: errUnknownGroup, Kind: "group", Name: name}
	}
	return r.entries[i].group, nil
}

// Offered returns the group of a name if it is offered. Errors: ErrUnknown, ErrDisabled,
// ErrFailed with the failure as its Cause.
func (r *Registry) Offered(name string) (*Group, error) {
	g, err := r.Group(name)
	if err != nil {
		return nil, err
	}
	switch e := r.entries[r.place[name]]; {
	case e.off:
		return nil, &NameError{Err: ErrDisabled, Kind: "group", Name: name}
	case e.failed != nil:
		return nil, &NameError{Err: ErrFailed, Kind: "group", Name: name, Cause: e.failed}
	}
	return g, nil
}

// Status returns how the groups are doing, in their order. The caller owns the slice.
func (r *Registry) Status() (list []GroupStatus) {
	for _, e := range r.all() {
		v := e.group.view
		list = append(list, GroupStatus{
			Name: e.group.Name(), Version: e.group.info.Version, Enabled: !e.off, Err: e.failed,
			Tools: len(v.refs), Resources: len(v.uris), Templates: len(v.owners), Prompts: len(v.prompts),
		})
	}
	return list
}

// CLIConfig returns the groups as the mcpServers of a configuration file, names sorted:
// {"mcpServers":{"files":{"type":"sdk","name":"files"}}}. Those that are not offered are among
// them only with all.
func (r *Registry) CLIConfig(all bool) protocol.Raw {
	names := r.View().Names()
	if all {
		names = r.Names()
	}
	slices.Sort(names)
	w := rawjson.Writer{Dst: []byte(`{"mcpServers":{`)}
	for _, name := range names {
		w.Raw(name, `{"type":"sdk","name":`+string(rawjson.AppendQuote(nil, name))+"}")
	}
	return protocol.Raw(append(w.Dst, "}}"...))
}
