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
