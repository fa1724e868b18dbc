package headers

import (
	"github.com/sansmcp/mcp/jsonrpc"
)

func (r Rules) guard(h Head) *Refusal                       { return nil }
func (r Rules) admit(h Head) (Op, *Refusal)                 { return 0, nil }
func (r Rules) check(h Head, m jsonrpc.Message) *Refusal    { return nil }
func parseChallenge(values []string) (c Challenge, ok bool) { return c, false }
func (c Challenge) text() string                            { return "" }
func bearer(authorization string) (token string, ok bool)   { return "", false }

// Accepts reports whether an Accept header takes the given media type, as
// "application/json". The most exact range counts; one with q=0 refuses. A header that is
// empty or not there takes all (RFC 9110, section 12.5.1).
func Accepts(accept, mediaType string) bool { return false }

// IsJSON reports whether a Content-Type is JSON, with any parameters.
func IsJSON(contentType string) bool { return false }

// IsEventStream reports whether a Content-Type is text/event-stream, with any parameters.
func IsEventStream(contentType string) bool { return false }
