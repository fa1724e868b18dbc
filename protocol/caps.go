package protocol

import (
	"slices"
	"strings"
)

// Capability is a set of capabilities of either party, as the dispatchers test
// them. What is negotiated is fixed at the handshake (lifecycle, Capability
// Negotiation).
type Capability uint32

// The capabilities. A capability is declared by the presence of its object; the
// ones that name a flag of it need the flag to be true.
const (
	CapTools Capability = 1 << iota
	CapToolsListChanged
	CapResources
	CapResourcesSubscribe
	CapResourcesListChanged
	CapPrompts
	CapPromptsListChanged
	CapCompletions
	CapLogging
	CapRoots
	CapRootsListChanged
	CapSampling
	CapElicitation // by form, unless CapElicitationURL is there
	CapSamplingContext
	CapSamplingTools
	CapElicitationForm // beside CapElicitationURL; Has finds it as well where that is not
	CapElicitationURL
)

// ServerCaps are those that a server can declare (lifecycle, Capability Negotiation).
const ServerCaps = CapTools | CapToolsListChanged | CapResources | CapResourcesSubscribe | CapResourcesListChanged |
	CapPrompts | CapPromptsListChanged | CapCompletions | CapLogging

// The capabilities that the revisions have.
const (
	caps20241105 = ServerCaps&^CapCompletions | CapRoots | CapRootsListChanged | CapSampling
	caps20250326 = caps20241105 | CapCompletions
	caps20250618 = caps20250326 | CapElicitation | CapElicitationForm
	caps20251125 = caps20250618 | CapSamplingContext | CapSamplingTools | CapElicitationURL
)

// Capabilities returns those that the revision has. What else a peer declares has no
// effect.
func (r Revision) Capabilities() Capability {
	if r.t == nil {
		return 0
	}
	return r.t.caps
}

var capabilityNames = [...]string{
	"tools", "tools.listChanged", "resources", "resources.subscribe", "resources.listChanged",
	"prompts", "prompts.listChanged", "completions", "logging",
	"roots", "roots.listChanged", "sampling", "elicitation",
	"sampling.context", "sampling.tools", "elicitation.form", "elicitation.url",
}

// String returns the names of the capabilities in the set, joined by commas.
func (c Capability) String() string {
	s := ""
	for i, name := range capabilityNames {
		if c>>i&1 != 0 {
			if s != "" {
				s += ","
			}
			s += name
		}
	}
	return s
}

// ParseCapability returns the set that String wrote; false if a name is unknown.
func ParseCapability(names string) (c Capability, ok bool) {
	for names != "" {
		name, rest, _ := strings.Cut(names, ",")
		i := slices.Index(capabilityNames[:], name)
		if i < 0 {
			return 0, false
		}
		c, names = c|1<<i, rest
	}
	return c, true
}

// Has reports whether all of d is in c.
func (c Capability) Has(d Capability) bool {
	if c&(CapElicitation|CapElicitationURL) == CapElicitation {
		c |= CapElicitationForm
	}
	return c&d == d
}

func flag(on bool, c Capability) Capability {
	if on {
		return c
	}
	return 0
}

// Set returns the declared capabilities as a set.
func (c ServerCapabilities) Set() Capability {
	s := flag(c.Completions != nil, CapCompletions) | flag(c.Logging != nil, CapLogging)
	if t := c.Tools; t != nil {
		s |= CapTools | flag(t.ListChanged, CapToolsListChanged)
	}
	if r := c.Resources; r != nil {
		s |= CapResources | flag(r.Subscribe, CapResourcesSubscribe) | flag(r.ListChanged, CapResourcesListChanged)
	}
	if p := c.Prompts; p != nil {
		s |= CapPrompts | flag(p.ListChanged, CapPromptsListChanged)
	}
	return s
}

// Set returns the declared capabilities as a set. An elicitation without a mode is one by
// form, and nothing is added for it.
func (c ClientCapabilities) Set() Capability {
	var s Capability
	if v := c.Sampling; v != nil {
		s |= CapSampling | flag(v.Context != nil, CapSamplingContext) | flag(v.Tools != nil, CapSamplingTools)
	}
	if v := c.Elicitation; v != nil {
		s |= CapElicitation | flag(v.Form != nil && v.URL != nil, CapElicitationForm) | flag(v.URL != nil, CapElicitationURL)
	}
	if r := c.Roots; r != nil {
		s |= CapRoots | flag(r.ListChanged, CapRootsListChanged)
	}
	return s
}

// DeclareServer returns the object by which a server declares the set.
func DeclareServer(c Capability) ServerCapabilities {
	var s ServerCapabilities
	if c.Has(CapTools) {
		s.Tools = &ToolsCapability{ListChanged: c.Has(CapToolsListChanged)}
	}
	if c.Has(CapResources) {
		s.Resources = &ResourcesCapability{Subscribe: c.Has(CapResourcesSubscribe), ListChanged: c.Has(CapResourcesListChanged)}
	}
	if c.Has(CapPrompts) {
		s.Prompts = &PromptsCapability{ListChanged: c.Has(CapPromptsListChanged)}
	}
	if c.Has(CapCompletions) {
		s.Completions = &CompletionsCapability{}
	}
	if c.Has(CapLogging) {
		s.Logging = &LoggingCapability{}
	}
	return s
}

// DeclareClient returns the object by which a client declares the set. Forms are declared
// as all revisions know it, by an elicitation without a mode, unless there are urls as well.
func DeclareClient(c Capability) ClientCapabilities {
	var s ClientCapabilities
	if c.Has(CapRoots) {
		s.Roots = &RootsCapability{ListChanged: c.Has(CapRootsListChanged)}
	}
	if c.Has(CapSampling) {
		s.Sampling = &SamplingCapability{Context: declared(c, CapSamplingContext), Tools: declared(c, CapSamplingTools)}
	}
	if c.Has(CapElicitation) {
		s.Elicitation = &ElicitationCapability{URL: declared(c, CapElicitationURL)}
		if s.Elicitation.URL != nil {
			s.Elicitation.Form = declared(c, CapElicitationForm)
		}
	}
	return s
}

func declared(c, d Capability) *Flag {
	if c.Has(d) {
		return &Flag{}
	}
	return nil
}

// Wholes returns the capabilities that those in the set are flags of: tools for
// tools.listChanged.
func (c Capability) Wholes() (set Capability) {
	for i, name := range capabilityNames {
		whole, _, isFlag := strings.Cut(name, ".")
		if c>>i&1 != 0 && isFlag {
			set |= 1 << slices.Index(capabilityNames[:], whole)
		}
	}
	return set
}
