package guard

import (
	"strings"
	"time"
)

// Identity is the content of a verified access token, without the token itself.
type Identity struct {
	Issuer  string // who issued the token (iss)
	Subject string // the principal (sub); "" for a client acting for itself
	Client  string // the client that it was issued to (client_id, azp)
	// Audience are the servers that the token is for (aud, RFC 8707).
	Audience []string
	// Scopes are the granted scopes (scope, scp), one per element.
	Scopes []string
	// Expires is when the token expires (exp); the zero Time means never.
	Expires time.Time
	// Confirm is the thumbprint of the key that the token is bound to (cnf); "" for a bearer token. The
	// verifier of the token has checked the proof.
	Confirm string
	// Value has further data of the application, such as claims or a user.
	Value any
}

// ID returns a permanent name of the sender, for nethttp.Principal.ID: issuer and subject, or issuer
// and client without a subject. Two Identities have the same ID only if these are the same. It is ""
// if it has neither.
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
