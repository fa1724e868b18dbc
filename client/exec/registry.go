package exec

import (
	"fmt"
	"slices"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Tool is what a Registry knows of a tool.
type Tool struct {
	Name   string  // how a Request names it; not empty
	Input  *Input  // its inputSchema, nil if that is not known
	Hints  Hints   // what those who are trusted say of it
	Lane   string  // what its calls share limits with
	Policy *Policy // the policy of its calls, nil for that of the batch or the Config
}

// Registry is an immutable list of tools (rows D2, D3, D4): it makes Requests out of names and
// arguments. The zero Registry is empty. Package client/toolset has a catalogue that changes.
type Registry struct {
	list   []Tool         // in their order
	byName map[string]int // never changed
}

// NewRegistry returns the list of these tools. The error wraps lifecycle.ErrParams if a name is
// empty or there twice, or a policy is out of range.
func NewRegistry(tools ...Tool) (Registry, error) {
	r := Registry{list: slices.Clone(tools), byName: make(map[string]int, len(tools))}
	for i, t := range r.list {
		if _, twice := r.byName[t.Name]; twice || t.Name == "" {
			return Registry{}, fmt.Errorf("%w: the tool %q is there twice, or has no name", lifecycle.ErrParams, t.Name)
		}
		if t.Policy != nil {
			if err := t.Policy.Check(); err != nil {
				return Registry{}, fmt.Errorf("the tool %q: %w", t.Name, err)
			}
		}
		r.byName[t.Name] = i
	}
	return r, nil
}

// Tools returns the tools in their order, as a copy.
func (r Registry) Tools() []Tool { return slices.Clone(r.list) }

// Get returns the tool of a name, which is compared byte for byte.
func (r Registry) Get(name string) (Tool, bool) {
	i, ok := r.byName[name]
	if !ok {
		return Tool{}, false
	}
	return r.list[i], true
}

// Request returns the request that calls a tool. There is one for a name that is not there as
// well: its call ends as UnknownTool, with the names that there are as a hint.
func (r Registry) Request(name string, arguments protocol.Raw) Request {
	t, ok := r.Get(name)
	if !ok {
		names := make([]string, len(r.list))
		for i := range r.list {
			names[i] = r.list[i].Name
		}
		return Request{Tool: name, Arguments: arguments, Fault: toolerror.Unknown(name, names)}
	}
	return Request{Tool: t.Name, Arguments: arguments, Input: t.Input, Hints: t.Hints, Lane: t.Lane, Policy: t.Policy}
}
