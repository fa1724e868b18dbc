package nethttp

import (
	"time"

	"github.com/sansmcp/mcp/server/guard"
)

// Principal is whom a request comes from, as Options.Authenticate returns it. The zero
// Principal stands for anybody.
type Principal struct {
	// ID names the principal permanently, as issuer and subject of a token do together. A session
	// belongs to the ID that began it; requests of another one are answered 404. It is stored with the
	// session, and is UTF-8 where a Table keeps it.
	ID string
	// Value is what else the application knows about the request: scopes, claims. Functions that the
	// request starts get it from PrincipalFrom. It is not stored. Keep the token out of it, so that
	// nobody can pass it on (AUTH-034, AUTH-219).
	Value any
	// Expires is when the token of the request expires; the zero Time means never. A request that
	// comes later is answered 401. A stream ends by then, and its client comes back for the rest with
	// another token; one that it could not come back for goes on for a minute at most, as long as a call
	// is open. What was taken goes on.
	Expires time.Time

	grant *grant // of Verified: what messages are held against
}

// grant is what a token allows.
type grant struct {
	guard.Guard
	id guard.Identity
}
