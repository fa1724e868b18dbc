package guard

import (
	"strings"
	"time"
)

// Identity is what a verified access token says. It does not have the token itself.
type Identity struct {
	Issuer  string // who issued the token (iss)
	Subject string // whom it speaks for (sub); "" for a client that speaks for itself
	Client  string // the client that it was issued to (client_id, azp)
	// Audience are the servers that the token is for (aud, RFC 8707).
	Audience []string
	// Scopes are those that were granted (scope, scp), one in each element.
	Scopes []string
	// Expires is when the token expires (exp); the zero Time means never.
	Expires time.Time
	// Confirm is the thumbprint of the key that the token is bound to (cnf); "" for a bearer token. Who
	// verified the token has checked the proof.
	Confirm string
	// Value is what else the application knows: claims, a user of its own.
	Value any
}

// ID returns the text that names who sent a request permanently, as nethttp.Principal.ID: issuer and
// subject, or issuer and client without a subject. Two Identities have the same ID only if these are
// the same. It is "" for an Identity that has neither.
func (id Identity) ID() string {
	switch {
	case id.Subject != "":
		return escape.Replace(id.Issuer) + " " + escape.Replace(id.Subject)
	case id.Client != "":
		return escape.Replace(id.Issuer) + "  " + escape.Replace(id.Client)
	}
	return ""
}

// escape keeps the parts of an ID apart.
var escape = strings.NewReplacer("%", "%25", " ", "%20")
