package naming

import "github.com/sansmcp/mcp/lifecycle"

// Policy decides how the items of servers are named for a client. The zero Policy qualifies the names
// of tools and prompts if there is more than one server, and leaves uris unchanged. A qualified name is
// valid under every policy.
//
// A plain name never changes its server: it belongs to the server that had it first, until that server
// no longer lists it or is removed, and also while the server is unavailable. A plain name that equals
// a qualified name of a server added later is withdrawn: it leads to nothing.
type Policy struct {
	// Form makes the qualified names of tools and prompts.
	Form Form
	// Names decides which names of tools and prompts are qualified.
	Names Qualify
	// URIs decides which uris of resources and templates are qualified; Auto means Plain.
	URIs Qualify
	// OnConflict decides about an item whose plain name belongs to another server.
	OnConflict Conflict
	// OnLoss decides about the items of a server that is unavailable.
	OnLoss Loss
}

// Qualify decides which names are qualified.
type Qualify uint8

// The values of Qualify.
const (
	// Auto leaves names plain for a server that was configured alone, and qualifies those of others. It
	// depends only on the configuration, not on which server is ready first.
	Auto Qualify = iota
	// Plain leaves a name plain if no other server has it. If two servers list it, it belongs to
	// the one that was ready first, or to the first in order if both became ready in one step.
	Plain
	// Always qualifies all names.
	Always
)

// Conflict decides about an item whose plain name belongs to another server. Its qualified name
// leads to it in any case.
type Conflict uint8

// The values of Conflict.
const (
	// Qualified lists it under its qualified name.
	Qualified Conflict = iota
	// Hidden omits it from the list.
	Hidden
)

// Loss decides about the items of a server that is unavailable. Calls of them fail, and they keep their
// names.
type Loss uint8

// The values of Loss.
const (
	// Hide omits them from the lists until the server is available again.
	Hide Loss = iota
	// Keep continues to list them.
	Keep
)

// Check returns a *lifecycle.ConfigError for the first field that has an unknown value.
func (p Policy) Check() error {
	var fill lifecycle.Filler
	p.Form.check("Form.", &fill)
	fill.Choice("Names", int(p.Names), int(Always))
	fill.Choice("URIs", int(p.URIs), int(Always))
	fill.Choice("OnConflict", int(p.OnConflict), int(Hidden))
	fill.Choice("OnLoss", int(p.OnLoss), int(Keep))
	return fill.Err("naming")
}
