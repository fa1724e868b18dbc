package registry

// What tests tell apart within ErrInvalid and ErrUnknown.
var (
	ErrName           = errName
	ErrDuplicate      = errDuplicate
	ErrUnbound        = errUnbound
	ErrUnknownTool    = errUnknownTool
	ErrNil            = errNil
	ErrUnknownGroup   = errUnknownGroup
	ErrUnknownSession = errUnknownSession
	ErrNotSupported   = errNotSupported
)

// Len returns how many groups there are.
func (r *Registry) Len() int { return len(r.all()) }

type CallDeadlines = callDeadlines

var NewCallDeadlines = newCallDeadlines
