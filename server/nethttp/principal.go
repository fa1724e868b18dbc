package nethttp

import (
	"time"

	"github.com/sansmcp/mcp/server/guard"
)

// Principal is the origin of a request, from Options.Authenticate. The zero Principal means anyone.
type Principal struct {
	// ID is the permanent name of the principal, such as issuer and subject of a token together. A
	// session belongs to the ID that began it; requests of others get 404. It is stored with the
	// session, and must be UTF-8 for a Table.
	ID string
	// Value has further data of the request, such as scopes and claims. Functions that the request
	// starts get it from PrincipalFrom. It is not stored. Keep the token out of it, so that
	// functions cannot pass it on (AUTH-034, AUTH-219).
	Value any
	// Expires is when the token of the request expires; the zero Time means never. Later requests get
	// 401. A stream ends then, and its client resumes it with another token; one that cannot be resumed
	// continues for at most a minute while a call is open. Accepted calls continue.
	Expires time.Time

	grant *grant // of Verified: what messages are held against
}

// grant is what a token allows.
type grant struct {
	guard.Guard
	id guard.Identity
}
