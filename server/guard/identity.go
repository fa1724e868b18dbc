package guard

import (
	"strings"
	"time"
)

// Identity is what a verified access token says. It does not have the token itself.
type Identity struct {
	Issuer  string // who issued the token (iss)
	Subject string // whom the token represents (sub); "" for a client that acts for itself
	Client  string // the client that it was issued to (client_id, azp)
	// Audience are the servers that the token is for (aud, RFC 8707).
	Audience []string
	// Scopes are the scopes that were granted (scope, scp), one in each element.
	Scopes []string
	// Expires is when the token expires (exp); the zero Time means never.
	Expires time.Time
	// Confirm is the thumbprint of the key that the token is bound to (cnf); "" for a bearer token. The
	// verifier of the token has checked the proof.
	Confirm string
	// Value is anything else that the application knows, such as claims or its own user.
	Value any
}

// ID returns a text that names the sender of a request permanently, as nethttp.Principal.ID: issuer
// and subject, or issuer and client without a subject. Two Identities have the same ID only if these
// are the same. It is "" for an Identity that has neither.
func (id Identity) ID() string {
	switch {
	case id.Subject != "":
		return escape.Replace(id.Issuer) + " " + escape.Replace(id.Subject)
	case id.Client != "":
		return escape.Replace(id.Issuer) + "  " + escape.Replace(id.Client)
	}
	return ""
}

// escape makes the parts of an ID unambiguous.
var escape = strings.NewReplacer("%", "%25", " ", "%20")
