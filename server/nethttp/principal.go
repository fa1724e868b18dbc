package nethttp

import (
	"time"

	"github.com/sansmcp/mcp/server/guard"
)

// Principal is the sender of a request, as Options.Authenticate returns it. The zero Principal
// means any sender.
type Principal struct {
	// ID names the principal permanently, as issuer and subject of a token do together. A session
	// belongs to the ID that began it; requests of another ID get 404. It is stored with the session,
	// and must be UTF-8 if a Table keeps it.
	ID string
	// Value is anything else that the application knows about the request, such as scopes and
	// claims. Functions that the request starts get it from PrincipalFrom. It is not stored. Keep
	// the token out of it, so that no function can pass it on (AUTH-034, AUTH-219).
	Value any
	// Expires is when the token of the request expires; the zero Time means never. A later request gets
	// 401. A stream ends by then, and its client comes back for the rest with another token; a stream
	// that the client could not come back for lasts for at most another minute, as long as a call is
	// open. Calls that were accepted continue.
	Expires time.Time

	grant *grant // of Verified: what messages are checked against
}

// grant is what a token allows.
type grant struct {
	guard.Guard
	id guard.Identity
}
