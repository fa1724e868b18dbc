package headers

import "strings"

// The names of the headers. They compare without regard to case.
const (
	Accept          = "Accept"
	Allow           = "Allow"
	Authenticate    = "Www-Authenticate"     // in answers with status 401 or 403 (AUTH-013)
	Authorization   = "Authorization"        // the token of a client (AUTH-025)
	ContentType     = "Content-Type"         //
	ContentEncoding = "Content-Encoding"     // of a compressed body, which servers of MCP need not accept
	LastEventID     = "Last-Event-Id"        // in a GET: the event after which a stream resumes (HTTP-037)
	Origin          = "Origin"               // the origin of the web page that makes the request (HTTP-101)
	FetchSite       = "Sec-Fetch-Site"       // how that origin relates to the server; browsers send it with every request
	Session         = "Mcp-Session-Id"       // comes with the answer to initialize (HTTP-040)
	Version         = "Mcp-Protocol-Version" // the negotiated revision (HTTP-050)
)

// The media types of the transport.
const (
	JSON        = "application/json"
	EventStream = "text/event-stream"
)

// The methods of the transport.
const (
	MethodPost   = "POST"
	MethodGet    = "GET"
	MethodDelete = "DELETE"
)

// Field is one header field.
type Field struct {
	Name  string // one of the names above
	Value string // without line breaks
}

// MaxSession is the length limit of a session id, in bytes, on both sides of this library.
const MaxSession = 4096

// ValidSession reports whether id can be a session id: 1 to MaxSession bytes of visible
// ASCII (HTTP-042).
func ValidSession(id string) bool {
	return id != "" && len(id) <= MaxSession && all(id, visible)
}

// visible reports whether a byte is a visible character of ASCII.
func visible(c byte) bool { return c > ' ' && c < 0x7F }

// MaxEventID is the longest event id, in bytes, that a client sends back.
const MaxEventID = 1024

// ValidEventID reports whether an event id of the server can be the value of a header, so
// that a client can resume after it: 1 to MaxEventID bytes, no control
// characters, no space at either end, which a header would lose.
func ValidEventID(id string) bool {
	if id == "" || len(id) > MaxEventID || id[0] == ' ' || id[len(id)-1] == ' ' {
		return false
	}
	return strings.IndexFunc(id, func(c rune) bool { return c < 0x20 || c == 0x7F }) < 0
}

// all reports whether is returns true for every byte of s.
func all(s string, is func(c byte) bool) bool {
	for i := range len(s) {
		if !is(s[i]) {
			return false
		}
	}
	return true
}
