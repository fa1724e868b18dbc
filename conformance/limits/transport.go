package limits

import (
	"github.com/sansmcp/mcp/protocol/headers"
)

// What an exchange keeps of the server: the session id, its own, and the id of
// the last event; and of the final failure an error with message and data, or a challenge.
const (
	exchangeTexts = 2*headers.MaxSession + headers.MaxEventID
	failureTexts  = 5*4096 + 1<<10 // and the beginning of another body, quoted
)

// event is the limit of an sse.Decoder: by default the message limit.
var event = Setting{"the limit of NewDecoder", func(s Settings) int { return s.Message }}

// transportRows are those of the packages for transports.
func transportRows() []Row {
	return []Row{
		{
			Name: "events", Where: "sse.Decoder",
			What:     "the unfinished event and its unfinished line, beside what was pushed and not fetched; the last id; an empty buffer",
			Settings: []Setting{event}, Formula: "5/4 × (limit + the largest chunk pushed) + 3 × 4096 + 64 Ki",
			Bound:  func(s Settings) int { return 5*(s.Message+chunk)/4 + 3*4096 + 64<<10 },
			Beyond: "skipped; one event with Oversize; a longer id counts as none, a longer name is cut",
			Fields: []string{
				"sse.Decoder.buf", "sse.Decoder.data", "sse.Decoder.event", "sse.Decoder.lastID", "sse.Event.ID", "sse.Event.Name", "sse.Event.Data",
			},
		},
		{
			Name: "exchange", Where: "exchange.Exchange",
			What:    "the session id, the id of the last event, and why it was lost: an error, a challenge, the beginning of another body",
			Formula: "10 Ki + 5 × 4096",
			Bound:   func(Settings) int { return exchangeTexts + failureTexts },
			Beyond:  "a longer id counts as none; messages are cut, longer data and parameters are left out",
			Fields: []string{
				"exchange.Exchange.session", "exchange.Session.ID", "exchange.Exchange.given", "exchange.Exchange.lastID", "exchange.Exchange.failure",
				"exchange.Failure.Err", "exchange.Failure.Text", "exchange.Failure.Challenge", "headers.Challenge.ResourceMetadata", "headers.Challenge.Scope",
				"headers.Challenge.Error", "headers.Challenge.ErrorDescription", "headers.Challenge.Realm",
			},
		},
	}
}
