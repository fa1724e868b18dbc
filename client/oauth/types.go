package oauth

import (
	"fmt"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol/headers"
)

// Random is 32 secret random bytes, fresh for each call. A Flow derives different values for each
// purpose.
type Random [32]byte

// Phase says what a Flow waits for.
type Phase uint8

// The phases.
const (
	// Idle: there is no token, and none was wanted.
	Idle Phase = iota
	// Requesting: send Call; then Respond or Unanswered.
	Requesting
	// Person: a person must open Page; then Returned, or Cancel.
	Person
	// Asking: Ask says what the application must provide; then Given, or Cancel.
	Asking
	// Waiting: until NextDeadline; then Tick.
	Waiting
	// Ready: Token has a token.
	Ready
	// Failed: Failure says why. A later Want begins another run.
	Failed
	phaseCount
)

var phaseNames = [phaseCount]string{"idle", "requesting", "person", "asking", "waiting", "ready", "failed"}

// String returns the lower-case name of the phase.
func (p Phase) String() string { return rawjson.NameOf(p, "phase(?)", phaseNames[:]...) }

// Running reports whether there is a run, whose end callers wait for.
func (p Phase) Running() bool { return p >= Requesting && p <= Waiting }

// Need says why a token is needed.
type Need struct {
	// Status is that of the answer that refused the request: 401 or 403. 0 means that the request has not
	// been sent: then only a token that is about to expire is renewed. 2xx says that a request with the
	// token was accepted.
	Status    int
	Challenge headers.Challenge // of that answer; zero if there was none
	Used      Secret            // the token that the request had; "" if none
}

// scopes reports whether the challenge asks for more scopes.
func (n Need) scopes() bool {
	return n.Challenge.Error == "insufficient_scope" || n.Challenge.Error == "" && n.Challenge.Scope != ""
}

// Token is an access token with its properties.
type Token struct {
	Access   Secret    // the token itself
	Type     string    // "Bearer" or "DPoP"
	Resource string    // the only server that it is sent to
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

// HTTPRequest is a request to send. Pass its answer to Respond, with any status; the driver follows no
// redirect and keeps no cookies.
type HTTPRequest struct {
	Method   string          // GET or POST
	URL      string          // it has no secret
	Fields   []headers.Field // some have secrets
	Body     Secret          // "" for none
	MaxBytes int             // of the body of the answer; pass one byte more of a longer one to Respond
	Reach    Reach           // which addresses are allowed
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

// Proof has the input of a DPoP header (RFC 9449, section 4.2).
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

// Page is a page that a person must open in a browser.
type Page struct {
	URL    string    // it has no secret, and its scheme is https, or http on this machine
	Issuer string    // the authorization server, which gets the code; URL may belong to another one
	State  string    // the state parameter of the redirect that answers it, by which to find the Flow
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

// Record is what a store keeps of a Flow, by principal and resource. It has secrets.
type Record struct {
	Issuer string   // of the token
	Token  Token    // the last one
	Asked  []string // the scopes that were asked for so far (AUTH-218)
	Legacy bool     // Issuer was found as revision 2025-03-26 does (AUTH-056)
	// Registrations are this client's registrations, each with its issuer (AUTH-210).
	Registrations []Registration
	// Pending is a login that waits for its person, for Flow.Resume; "" for none. It is as secret as a
	// token.
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
