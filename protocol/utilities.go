package protocol

import (
	"strconv"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// The methods of the utilities (ping, cancellation and progress pages).
const (
	MethodPing      = "ping"
	MethodCancelled = "notifications/cancelled"
	MethodProgress  = "notifications/progress"
)

// utilityRows have no Gate (CAP-018).
var utilityRows = []Row{
	{
		// PING-001; LIFE-018: in every live phase.
		Method: MethodPing, Receiver: BothParties, Send: pings, Serve: live, Cancellable: true,
		ages: ages{until: age20260728}, Wait: WaitPing, ResultRule: "SCHEMA-021", params: checkPingParams, result: checkEmptyResult,
	},
	{Method: MethodCancelled, Notification: true, Receiver: BothParties, Send: pings, Serve: live, params: checkCancelledParams},
	{Method: MethodProgress, Notification: true, Receiver: BothParties, Send: live, Serve: live, params: checkProgressParams},
}

// Raw is validated JSON text, the type of every member whose content the
// protocol does not look into. The empty Raw stands for an absent member.
type Raw = jsonrpc.Raw

// Params is what a request or notification carries. Every ...Params type of
// this package implements it, and so can any type of yours: the dispatchers take
// methods they do not know.
type Params interface {
	// Method returns the name of the method that these are the params of.
	Method() string
	// AppendJSON appends the params as a JSON object to dst. Appending nothing
	// means a message without params.
	AppendJSON(dst []byte) []byte
}

// Result is the answer to a request. Every ...Result type of this package
// implements it, and so does Raw.
type Result interface {
	// AppendJSON appends the result as a JSON object to dst.
	AppendJSON(dst []byte) []byte
}

// Ptr returns a pointer to a copy of v, for optional members whose zero value
// means something: ToolAnnotations{ReadOnlyHint: Ptr(true)}.
func Ptr[T any](v T) *T { return &v }

// StringValue returns s as JSON text. Invalid UTF-8 becomes U+FFFD.
func StringValue(s string) Raw { return Raw(rawjson.AppendQuote(nil, s)) }

// NumberValue returns f as JSON text. JSON cannot express NaN and the infinities:
// what is returned for them is not JSON, so that every verb refuses it (ErrParams)
// instead of sending a number that is wrong.
func NumberValue(f float64) Raw { return Raw(rawjson.AppendFloat(nil, f)) }

// IntValue returns n as JSON text.
func IntValue(n int64) Raw { return Raw(strconv.AppendInt(nil, n, 10)) }

// StringsValue returns list as JSON text.
func StringsValue(list ...string) Raw { return Raw(appendStrings(nil, list)) }

// BoolValue returns b as JSON text.
func BoolValue(b bool) Raw { return Raw(strconv.AppendBool(nil, b)) }

// Cursor is an opaque position in a list (pagination). The empty string is a
// cursor like any other, so optional cursors are pointers (SCHEMA-006).
type Cursor string

// Role is who a message or a piece of content is from or for.
type Role string

// The roles.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// Valid reports whether r is one of the two roles (SCHEMA-005).
func (r Role) Valid() bool { return r == RoleUser || r == RoleAssistant }

// Annotations tell the client how to use or display what they are attached to (SCHEMA-018,
// RES-038).
type Annotations struct {
	// Audience is who the data is meant for; nil means everybody. DropInvalidItems leaves it
	// empty if it named unknown roles alone.
	Audience []Role `json:"audience,omitzero"`
	// Priority says how important the data is, from 0 (optional) to 1 (required).
	Priority *float64 `json:"priority,omitzero" mcp:"min=0,max=1"`
	// LastModified is an ISO 8601 time; Time reads it (SCHEMA-019).
	LastModified string `json:"lastModified,omitzero" since:"2025-06-18"`
}

// Time returns LastModified as a time. ok is false if it is absent or no
// ISO 8601 date or time; without an offset it is read as UTC.
func (v Annotations) Time() (t time.Time, ok bool) {
	for _, layout := range [...]string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"} {
		if t, err := time.Parse(layout, v.LastModified); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// EmptyResult is the result of requests that only succeed or fail: ping,
// resources/subscribe, resources/unsubscribe and logging/setLevel.
type EmptyResult struct {
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero"`
}

// PingParams are the params of ping, which asks for a sign of life (PING-002).
type PingParams struct {
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero" mcp:"request"`
}

// CancelledParams are the params of notifications/cancelled: the sender of a
// request no longer wants its answer.
type CancelledParams struct {
	// RequestID is the id of the request, with the JSON type it was sent with. What
	// comes in 2025-11-25 may lack it, and then cancels nothing: Row.CheckParams lets it
	// pass, and DecodeJSON does not (CANC-202).
	RequestID jsonrpc.ID `json:"requestId" optional:"2025-11-25" required:"2026-07-28"`
	// Reason is a text for logs or for display.
	Reason string `json:"reason,omitzero"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero"`
}

// ProgressParams are the params of notifications/progress.
type ProgressParams struct {
	// ProgressToken is the token that the request carried in its _meta.
	ProgressToken jsonrpc.ID `json:"progressToken"`
	// Progress is how much is done, in any unit; it rises with every notification (PROG-010).
	Progress float64 `json:"progress"`
	// Total is how much there is to do, if known, in the unit of Progress. Progress may exceed it
	// (PROG-028).
	Total *float64 `json:"total,omitzero"`
	// Message is a text for display (PROG-011).
	Message string `json:"message,omitzero" since:"2025-03-26"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero"`
}
