package oauth

import (
	"fmt"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol/headers"
)

// Random is 32 bytes that nobody can guess, fresh for each call. What a Flow makes of them differs by
// purpose, so that a Flow that is restored twice makes nothing twice.
type Random [32]byte

// Phase says what a Flow waits for.
type Phase uint8

// The phases.
const (
	// Idle: there is no token, and nobody has asked for one.
	Idle Phase = iota
	// Requesting: Call is to be made; then Respond or Unanswered.
	Requesting
	// Person: a person is to open Page; then Returned, or Cancel.
	Person
	// Asking: Ask says what the application is to give; then Given, or Cancel.
	Asking
	// Waiting: until NextDeadline; then Tick.
	Waiting
	// Ready: Token has a token.
	Ready
	// Failed: Failure says why. A later Want begins anew.
	Failed
	phaseCount
)

var phaseNames = [phaseCount]string{"idle", "requesting", "person", "asking", "waiting", "ready", "failed"}

// String returns the lower-case name of the phase.
func (p Phase) String() string { return rawjson.NameOf(p, "phase(?)", phaseNames[:]...) }

// Running reports whether a run is under way, so that a caller who needs a token waits for its end.
func (p Phase) Running() bool { return p >= Requesting && p <= Waiting }

// Need is why a token is wanted.
type Need struct {
	// Status is that of the answer that refused the request: 401 or 403. 0 is for a request that has not
	// been made yet: only a token that is about to expire is renewed for it. 2xx says that a request with
	// the token was accepted.
	Status    int
	Challenge headers.Challenge // of that answer; zero if there was none
	Used      Secret            // the token that the request had; "" if none
}

// scopes reports whether the challenge asks for more scopes.
func (n Need) scopes() bool {
	return n.Challenge.Error == "insufficient_scope" || n.Challenge.Error == "" && n.Challenge.Scope != ""
}

// Token is an access token and what belongs to it.
type Token struct {
	Access   Secret    // the token itself
	Type     string    // "Bearer" or "DPoP"
	Resource string    // what it is for; it goes nowhere else
	Scope    string    // what was granted, separated by blanks
	Expires  time.Time // zero if the authorization server did not say
	Renew    time.Time // from when on it is renewed before a request; zero with Expires
	Refresh  Secret    // "" if there is none
}

// Reach says at which addresses a request of a Flow may be made (SEC-104). A driver checks the address
// that a name resolves to when it connects.
type Reach uint8

// The reaches.
const (
	// Public addresses alone: none that is private, link-local, reserved or of this machine.
	Public Reach = iota
	// Local addresses of this machine, and public ones.
	Local
	// Anywhere: the host is that of the server itself, or in Config.Trusted.
	Anywhere
)

// HTTPRequest is a request to make. Its answer goes to Respond, whatever the status is; the driver follows no
// redirect and keeps no cookies.
type HTTPRequest struct {
	Method   string          // GET or POST
	URL      string          // it has no secret
	Fields   []headers.Field // some have secrets
	Body     Secret          // "" for none
	MaxBytes int             // of the body of the answer: what is longer goes to Respond cut off one byte behind
	Reach    Reach           // where it may go
	// Proof asks for a DPoP header (RFC 9449) over Method and URL, with Nonce if it is not "".
	Proof bool
	Nonce string // of the authorization server, "" if it has sent none
}

// text returns the method and the url. The header fields may have secrets.
func (c HTTPRequest) text() string { return strings.TrimSpace(c.Method + " " + c.URL) }

// Format implements fmt.Formatter: every verb writes the method and the url.
func (c HTTPRequest) Format(f fmt.State, _ rune) { _, _ = fmt.Fprint(f, c.text()) }

// MarshalText returns what Format writes. JSON and package log/slog use it.
func (c HTTPRequest) MarshalText() ([]byte, error) { return []byte(c.text()), nil }

// Proof is what a DPoP header is made for (RFC 9449, section 4.2).
type Proof struct {
	Method string // of the request
	URL    string // of the request, without query
	Nonce  string // the last one of the server, "" if it has sent none
	Token  Secret // that the request has; "" at a token endpoint
}

// Answer is an HTTP answer.
type Answer struct {
	Status     int           // of HTTP
	Location   string        // of a redirect
	RetryAfter time.Duration // how long the server wants to be left alone; zero if it does not say
	Nonce      string        // the DPoP-Nonce header
	Body       []byte        // of at most HTTPRequest.MaxBytes, and one more if it is longer
}

// Page is what a person is to open in a browser.
type Page struct {
	URL    string    // it has no secret, and its scheme is https, or http on this machine
	Issuer string    // the authorization server, which gets the code; what is at URL may be of another one
	State  string    // the state parameter of the redirect that answers it: whoever has it finds the Flow
	Until  time.Time // when the Flow no longer waits for it
}

// AskKind is what a Flow asks the application for.
type AskKind uint8

// The kinds.
const (
	// Signature: of Ask.Data, by the key and the algorithm of the Credentials, in the form of JWS (RFC 7515,
	// section 5.1): the bytes themselves, not their base64.
	Signature AskKind = 1 + iota
	// Subject: the token that Assertion, Enterprise and Exchange begin with. Data is empty.
	Subject
)

// Ask is what a Flow waits for in phase Asking.
type Ask struct {
	Kind      AskKind // Signature or Subject
	Data      []byte  // what to sign
	Algorithm string  // of a Signature
	KeyID     string  // of a Signature
}

// Record is what is worth keeping of a Flow: by principal and resource, in a store. It has secrets.
type Record struct {
	Issuer string   // of the token
	Token  Token    // the last one
	Asked  []string // the scopes that were asked for so far (AUTH-218)
	Legacy bool     // Issuer was found as revision 2025-03-26 does (AUTH-056)
	// Registrations are what authorization servers know this client by; they belong to their issuer
	// (AUTH-210).
	Registrations []Registration
	// Pending is a login whose person is away, for Flow.Resume; "" for none. It is as secret as a token.
	Pending Secret
}

// Registration is a client that an authorization server registered, or one of Config.Clients that was bound
// to the first issuer it was used at.
type Registration struct {
	Issuer   string    // whose it is
	ID       string    // the client_id
	Secret   Secret    // the client_secret, "" if it has none
	Method   string    // as in Credentials; "" if the server did not say
	Redirect string    // the one that was registered
	Expires  time.Time // of Secret; zero if it does not
	Bound    bool      // it is one of Config.Clients, whose credentials stand there
}
