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

// Len is length.
func (r *Registry) Len() int { return r.length() }

type CallDeadlines = callDeadlines

var NewCallDeadlines = newCallDeadlines
