package oauth

import (
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// Reason says why a run failed.
type Reason uint8

// The reasons. The zero Reason means that nothing failed.
const (
	// Forbidden: the server refuses the request, and no token would change that.
	Forbidden Reason = 1 + iota
	// Denied: the server repeatedly wants more than was granted (AUTH-118). Remembered for 10 min.
	Denied
	// NoMetadata: neither the server nor its authorization servers have metadata.
	NoMetadata
	// ResourceMismatch: the metadata belongs to another server (AUTH-060).
	ResourceMismatch
	// IssuerMismatch: the answer of an authorization server has another issuer (AUTH-201, AUTH-205).
	IssuerMismatch
	// WrongIssuer: Config allows none of the authorization servers, or none has this client (AUTH-211).
	WrongIssuer
	// NoPKCE: the authorization server does not announce S256 (AUTH-105).
	NoPKCE
	// NoClient: the authorization server has no registration of this client and offers none; set
	// Config.Clients (AUTH-111).
	NoClient
	// RegistrationRefused: the authorization server refused to register the client (AUTH-213).
	RegistrationRefused
	// OutOfReach: a url has a forbidden address: see Config.Trusted (SEC-104).
	OutOfReach
	// Abandoned: the person did not return in time, or Cancel was called.
	Abandoned
	// Refused: the authorization server refused the login or the token, as Code says.
	Refused
	// Unreachable: no answer, or only server errors, after all attempts.
	Unreachable
	// Malformed: an answer breaks OAuth: it is too long, not JSON, or lacks a required member.
	Malformed
	// TooMuch: the run needed too many requests or too long.
	TooMuch
	reasonCount
)

var reasonNames = [reasonCount]string{
	"none", "forbidden", "more scopes are wanted than are granted", "no metadata", "metadata of another resource",
	"answer of another issuer", "no authorization server that knows this client", "no PKCE with S256", "no client",
	"registration refused", "address not allowed", "abandoned", "refused", "unreachable", "malformed answer", "no end",
}

// String returns a short lower-case phrase.
func (r Reason) String() string { return rawjson.NameOf(r, "reason(?)", reasonNames[:]...) }

// Failure is why a run failed. It has no secret and, before the issuer of an answer is known, no text of
// it (AUTH-209).
type Failure struct {
	Reason Reason // what happened
	Issuer string // the authorization server it is about, "" if none
	URL    string // of the request that failed, without query; "" if none
	Status int    // of its answer; 0 if there was none
	Code   string // error of OAuth, such as access_denied
	Text   string // what else the authorization server said, quoted and cut: do not trust it
}

// Error returns all there is to say in one line.
func (f *Failure) Error() string {
	var b strings.Builder
	b.WriteString("oauth: " + f.Reason.String())
	for _, part := range [...]struct{ name, value string }{{"issuer", f.Issuer}, {"url", f.URL}, {"error", f.Code}} {
		if part.value != "" {
			b.WriteString(", " + part.name + " " + part.value)
		}
	}
	if f.Status != 0 {
		b.WriteString(", status " + strconv.Itoa(f.Status))
	}
	if f.Text != "" {
		b.WriteString(": " + f.Text)
	}
	return b.String()
}

// The longest texts of others that a Failure keeps, in bytes.
const (
	maxCode = 64
	maxText = 200
)

// code returns an error code of OAuth as far as it is one (RFC 6749, section 5.2), cut.
func code(s string) string {
	s = s[:min(len(s), maxCode)]
	if strings.ContainsFunc(s, func(c rune) bool { return c < 0x20 || c > 0x7E || c == '"' || c == '\\' }) {
		return ""
	}
	return s
}

// shown returns a url of others without its query; what is no url is quoted and cut.
func shown(raw string) string {
	raw, _, _ = strings.Cut(raw, "?")
	if strings.ContainsFunc(raw, unsafe) || len(raw) > maxURL {
		return said(raw)
	}
	return raw
}

// said returns a text of others, quoted and cut.
func said(s string) string {
	if s == "" {
		return ""
	}
	return strconv.QuoteToASCII(rawjson.Clip(s, maxText))
}
