package jwt

import "time"

// Identity is whom a token is from. It does not have the token itself.
type Identity struct {
	Issuer  string // who issued the token (iss)
	Subject string // whom it speaks for (sub); "" for a client that speaks for itself
	Client  string // the client that it was issued to (client_id, azp)
	// Audience are the servers that the token is for (aud). Verify accepts every one.
	Audience []string
	// Scopes are those that were granted (scope, scp), one in each element.
	Scopes []string
	// Expires is when the token expires (exp); the zero Time means never.
	Expires time.Time
	// Value are all claims of the token, as Claims.
	Value any
}
