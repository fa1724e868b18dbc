package naming

import "github.com/sansmcp/mcp/lifecycle"

// Policy sets the names of the items of servers for a client. The zero Policy qualifies the names of
// tools and prompts if there is more than one server, and leaves uris unchanged. Qualified names work
// under every policy.
//
// Under every policy a plain name belongs to the first server that had it, until that server no longer
// lists it or is removed, even while the server is disconnected. A plain name that equals a qualified
// name of a server added later is withdrawn.
type Policy struct {
	// Form makes the qualified names of tools and prompts.
	Form Form
	// Names decides which names of tools and prompts are qualified.
	Names Qualify
	// URIs decides which uris of resources and templates are qualified; Auto means Plain.
	URIs Qualify
	// OnConflict says how to list an item whose plain name belongs to another server.
	OnConflict Conflict
	// OnLoss says whether the items of a disconnected server stay on lists.
	OnLoss Loss
}

// Qualify decides which names are qualified.
type Qualify uint8

// The values of Qualify.
const (
	// Auto keeps the names of a server plain if it was configured alone, and qualifies those of others.
	// Only the configuration decides, not which server is ready first.
	Auto Qualify = iota
	// Plain leaves a name plain if no other server has it. If two servers list it, the one that was
	// ready first has it, or the first in order if both were ready in one step.
	Plain
	// Always qualifies all names.
	Always
)

// Conflict says how to list an item whose plain name belongs to another server. Its qualified name
// always works.
type Conflict uint8

// The values of Conflict.
const (
	// Qualified lists it under its qualified name.
	Qualified Conflict = iota
	// Hidden omits it from the list.
	Hidden
)

// Loss says whether the items of a disconnected server stay on lists. Their calls fail, and they keep
// their names.
type Loss uint8

// The values of Loss.
const (
	// Hide removes them from the lists until the server is ready again.
	Hide Loss = iota
	// Keep keeps them on the lists.
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
