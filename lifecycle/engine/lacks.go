package engine

import (
	"errors"

	"github.com/sansmcp/mcp/protocol"
)

// lacks says which side does not declare what a message of ours needs: this one, or else the peer.
func (c *Core) lacks(ours, theirs protocol.Capability) error {
	if ours != 0 {
		return Lacks(c.env.Self, ours, true)
	}
	return Lacks(c.env.Self.Peer(), theirs, false)
}

// Lacks says that a side does not declare capabilities, and which field of its Config does if it is
// this one.
func Lacks(side protocol.Party, caps protocol.Capability, here bool) error {
	text := side.String() + " does not declare " + caps.String()
	if here {
		return &lack{caps, "this " + text + " (" + side.String() + ".Config." + declaredBy(caps) + ")"}
	}
	return &lack{caps, "the " + text}
}

// lack is the error of Lacks.
type lack struct {
	caps protocol.Capability
	text string
}

func (e *lack) Error() string { return e.text }

// Lacking returns the capabilities that err says are not declared, 0 if it says no such thing.
func Lacking(err error) protocol.Capability {
	if err == nil { // as for most answers, which cost nothing here
		return 0
	}
	var e *lack
	if errors.As(err, &e) {
		return e.caps
	}
	return 0
}

// declaredBy returns the field of a Config that declares a capability, of several the first.
func declaredBy(caps protocol.Capability) string {
	for _, f := range [...]struct {
		caps  protocol.Capability
		field string
	}{
		{protocol.CapResourcesSubscribe, "Subscribe"},
		{protocol.CapToolsListChanged | protocol.CapResourcesListChanged | protocol.CapPromptsListChanged, "ListChanged"},
		{protocol.CapTools | protocol.CapResources | protocol.CapPrompts | protocol.CapCompletions | protocol.CapSampling | protocol.CapElicitation, "Serve"},
		{protocol.CapLogging, "Logging"},
		{protocol.CapRoots, "Roots"},
		{protocol.CapRootsListChanged, "RootsListChanged"},
	} {
		if caps&f.caps != 0 {
			return f.field
		}
	}
	return "Declare"
}
