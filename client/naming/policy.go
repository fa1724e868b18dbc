package naming

import "github.com/sansmcp/mcp/lifecycle"

// Policy says what the items of servers are named towards a client. The zero Policy qualifies the names
// of tools and prompts if there is more than one server, and leaves uris as they are. A qualified name
// is understood under every policy.
//
// A name never moves: under every policy a plain name stays that of the server that had it first, until
// that server no longer lists it or is removed. It stays its own while the server is away. A plain name
// that is the qualified name of a server added later is withdrawn: it leads to nothing.
type Policy struct {
	// Form makes the qualified names of tools and prompts.
	Form Form
	// Names says which names of tools and prompts are qualified.
	Names Qualify
	// URIs says which uris of resources and templates are qualified; Auto means Plain.
	URIs Qualify
	// OnConflict says what becomes of an item whose plain name another server has.
	OnConflict Conflict
	// OnLoss says what becomes of the items of a server that is away.
	OnLoss Loss
}

// Qualify says which names are qualified.
type Qualify uint8

// The values of Qualify.
const (
	// Auto leaves the names of a server plain that was configured alone, and qualifies those of others.
	// The configuration alone decides, and not which server is ready first.
	Auto Qualify = iota
	// Plain leaves a name plain if no other server has it. If two servers list it, the one that was
	// ready first has it, or the first in order if both came in one step.
	Plain
	// Always qualifies all names.
	Always
)

// Conflict says what becomes of an item whose plain name another server has. Its qualified name
// leads to it.
type Conflict uint8

// The values of Conflict.
const (
	// Qualified lists it under its qualified name.
	Qualified Conflict = iota
	// Hidden leaves it off the list.
	Hidden
)

// Loss says what becomes of the items of a server that is away. Calls of them fail, and their names stay
// their own.
type Loss uint8

// The values of Loss.
const (
	// Hide takes them off the lists until the server is back.
	Hide Loss = iota
	// Keep goes on listing them.
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
