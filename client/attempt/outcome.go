package attempt

import (
	"errors"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Outcome is the outcome of an attempt or a call. It is a success if and only if Err is nil.
type Outcome struct {
	// Result is the unchanged result, with all its blocks; it is also set with an Err for a failed
	// result. It is shared and must not be changed.
	Result *protocol.CallToolResult
	// Err is why there is no successful result. It is shared.
	Err *toolerror.Error
	// Attempts is how many attempts have begun, and Elapsed is the time from the start of the call
	// to its end. They are set in a Result; Finish ignores them.
	Attempts int
	Elapsed  time.Duration // see Attempts
	// Delivery is what is known of the attempts: MayHaveRun if one of them may have had effects
	// without an answer, otherwise Answered if one was answered, otherwise Rejected if one was
	// refused without effect, otherwise NotSent. lifecycle.DeliveryOf(Err) is the same for a
	// failure. Finish ignores it.
	Delivery lifecycle.Delivery
}

// errNoOutcome is the Cause of an Execution without details.
var errNoOutcome = errors.New("attempt: the attempt ended without a result and without an error")

// Value returns a good result as one JSON value (rows A24, E3): the structured content, if any;
// otherwise null without blocks, a string for one block of text, the block for one of another type,
// and an array of several blocks. It is empty if Err is set.
func (o Outcome) Value() protocol.Raw {
	if o.Err != nil || o.Result == nil {
		return ""
	}
	r := o.Result
	if r.StructuredContent != "" {
		return r.StructuredContent
	}
	switch len(r.Content) {
	case 0:
		return "null"
	case 1:
		if r.Content[0].Type == protocol.ContentText {
			return protocol.StringValue(r.Content[0].Text)
		}
		return protocol.Raw(r.Content[0].AppendJSON(nil))
	}
	list := []byte{'['}
	for i := range r.Content {
		if i > 0 {
			list = append(list, ',')
		}
		list = r.Content[i].AppendJSON(list)
	}
	return protocol.Raw(append(list, ']'))
}

// checked returns the outcome as Finish judges it. An error gets a known kind and is copied. A result
// with isError is a failure: a RemoteTool, or the error in its payload. A result beyond the limits is
// an InvalidOutput and is dropped.
func (o Outcome) checked(tool string, l *Limits) Outcome {
	beyond := ""
	if o.Result != nil {
		beyond = l.exceeded(o.Result)
	}
	switch {
	case o.Err != nil:
		o = o.own()
		o.Err.Kind = toolerror.KindOf(o.Err.Kind.Code()) // zero counts as Execution
		if beyond != "" {
			o.Result = nil
		}
	case o.Result == nil:
		o.Err = toolerror.From(tool, errNoOutcome)
	case beyond != "":
		o = Outcome{Err: &toolerror.Error{Kind: toolerror.InvalidOutput, Tool: tool, Text: beyond, Remote: true}}
	case o.Result.IsError:
		o.Err = toolerror.FromResult(tool, o.Result)
	}
	return o
}

// own returns the outcome with its own copy of Err.
func (o Outcome) own() Outcome {
	if o.Err != nil {
		e := *o.Err
		o.Err = &e
	}
	return o
}

// detach returns a copy of an error for a call that waits for its next attempt. It drops the message
// that the error was decoded from, and all causes except the previous attempt, which would
// accumulate.
func detach(e *toolerror.Error) *toolerror.Error {
	k := *e
	var before *toolerror.Error
	if errors.As(e.Cause, &before) && before != nil {
		b := *before
		b.Cause = nil
		k.Cause = &b
	} else if r := jsonrpc.ErrorOf(e.Cause); r != nil {
		k.Cause = &jsonrpc.Error{Code: r.Code, Message: clip(r.Message)}
	}
	return &k
}

// clip returns a copy of a reason, cut to maxReason.
func clip(reason string) string {
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "")
	}
	return strings.Clone(reason)
}

// maxReason is the longest kept reason, in bytes.
const maxReason = 1024
