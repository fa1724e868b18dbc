package protocol

import (
	"slices"
	"strings"
)

// Capability is a set of capabilities of either party, as the dispatchers test
// them. What is negotiated is fixed at the handshake (lifecycle, Capability
// Negotiation). The constants follow from the members of ServerCapabilities and
// ClientCapabilities.
type Capability uint32

// String returns the names of the capabilities in the set, joined by commas.
func (c Capability) String() string {
	var names []string
	for i, name := range capabilityNames {
		if c>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
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

// Has reports whether all of d is in c. An elicitation without a mode is one by form
// (CAP-103).
func (c Capability) Has(d Capability) bool {
	if c&(CapElicitation|CapElicitationURL) == CapElicitation {
		c |= CapElicitationForm
	}
	return c&d == d
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

// Capabilities returns those that the revision has. What else a peer declares has no
// effect.
func (r Revision) Capabilities() (set Capability) {
	for i, have := range capabilityAges {
		if r.t != nil && r.t.age.in(have) {
			set |= 1 << i
		}
	}
	return set
}

// Set returns the declared capabilities as a set.
func (v ServerCapabilities) Set() Capability { return v.set() }

// Set returns the declared capabilities as a set. An elicitation without a mode is one by
// form, so nothing is added for it (CAP-104).
func (v ClientCapabilities) Set() Capability {
	s := v.set()
	if s&CapElicitationURL == 0 {
		s &^= CapElicitationForm
	}
	return s
}

// DeclareServer returns the object by which a server declares the set.
func DeclareServer(c Capability) (v ServerCapabilities) {
	v.declare(c)
	return v
}

// DeclareClient returns the object by which a client declares the set. Forms are declared
// as all revisions know it, by an elicitation without a mode, unless there are urls as well.
func DeclareClient(c Capability) (v ClientCapabilities) {
	if c&CapElicitationURL == 0 {
		c &^= CapElicitationForm
	}
	v.declare(c)
	return v
}
