package attempt_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// driven is an error of a driver that says how far the message came, whether it took too long, and how
// long the server wants to be left alone.
type driven struct {
	how   lifecycle.Delivery
	late  bool
	after time.Duration
}

func (driven) Error() string                  { return "driven" }
func (d driven) Delivery() lifecycle.Delivery { return d.how }
func (d driven) Timeout() bool                { return d.late }
func (d driven) RetryAfter() time.Duration    { return d.after }

// Each error has its kind, bare and within another one, and says how far the call came.
func TestKindOfEachError(t *testing.T) {
	rpc := func(code int64) *jsonrpc.Error { return &jsonrpc.Error{Code: code, Message: "m"} }
	for _, c := range []struct {
		err  error
		kind toolerror.Kind
		how  lifecycle.Delivery
	}{
		{errors.New("x"), toolerror.Execution, lifecycle.MayHaveRun},
		{context.Canceled, toolerror.Cancelled, lifecycle.MayHaveRun},
		{context.DeadlineExceeded, toolerror.Timeout, lifecycle.MayHaveRun},
		{lifecycle.ErrParams, toolerror.InvalidArguments, lifecycle.NotSent},
		{lifecycle.ErrGone, toolerror.Cancelled, lifecycle.MayHaveRun},
		{lifecycle.ErrPhase, toolerror.Unavailable, lifecycle.NotSent},
		{lifecycle.ErrCapability, toolerror.Unavailable, lifecycle.NotSent},
		{lifecycle.ErrRevision, toolerror.Unavailable, lifecycle.NotSent},
		{lifecycle.ErrLimit, toolerror.Unavailable, lifecycle.NotSent},
		{rpc(jsonrpc.CodeMethodNotFound), toolerror.UnknownTool, lifecycle.Answered},
		{rpc(jsonrpc.CodeInvalidParams), toolerror.InvalidArguments, lifecycle.Answered},
		{rpc(jsonrpc.CodeInternalError), toolerror.RemoteRPC, lifecycle.Answered},
		{driven{how: lifecycle.MayHaveRun}, toolerror.ConnectionLost, lifecycle.MayHaveRun},
		{driven{how: lifecycle.MayHaveRun, late: true}, toolerror.Timeout, lifecycle.MayHaveRun},
		{driven{how: lifecycle.NotSent}, toolerror.Unavailable, lifecycle.NotSent},
		{driven{how: lifecycle.Rejected}, toolerror.Unavailable, lifecycle.Rejected},
		{driven{how: lifecycle.Rejected, after: time.Second}, toolerror.RateLimited, lifecycle.Rejected},
		{driven{how: lifecycle.MayHaveRun, after: time.Second}, toolerror.ConnectionLost, lifecycle.MayHaveRun},
		{&lifecycle.Cause{Kind: lifecycle.CauseTimedOut}, toolerror.Timeout, lifecycle.MayHaveRun},
		{&lifecycle.Cause{Kind: lifecycle.CauseCancelled}, toolerror.Cancelled, lifecycle.MayHaveRun},
		{&lifecycle.Cause{Kind: lifecycle.CauseAbandoned}, toolerror.Cancelled, lifecycle.MayHaveRun},
		{&lifecycle.Cause{Kind: lifecycle.CauseInvalidResponse, Reason: "odd"}, toolerror.InvalidOutput, lifecycle.MayHaveRun},
		{&lifecycle.Cause{Kind: lifecycle.CauseLost}, toolerror.ConnectionLost, lifecycle.MayHaveRun},
		{&lifecycle.Cause{Kind: lifecycle.CauseNotSent}, toolerror.Unavailable, lifecycle.NotSent},
		{&lifecycle.Cause{Kind: lifecycle.CauseRejected}, toolerror.Unavailable, lifecycle.Rejected},
		{&toolerror.Error{}, toolerror.Execution, lifecycle.MayHaveRun},
		{&toolerror.Error{Kind: toolerror.Unavailable}, toolerror.Unavailable, lifecycle.NotSent},
		{&toolerror.Error{Kind: toolerror.Unavailable, Remote: true}, toolerror.Unavailable, lifecycle.Rejected},
		{&toolerror.Error{Kind: toolerror.Unavailable, MayHaveRun: true}, toolerror.Unavailable, lifecycle.MayHaveRun},
		{&toolerror.Error{Kind: toolerror.RemoteTool, Remote: true}, toolerror.RemoteTool, lifecycle.Answered},
	} {
		for _, err := range []error{c.err, fmt.Errorf("around: %w", c.err)} {
			o := attempt.FromError("t", err)
			kind := toolerror.KindOf(o.Err.Kind.Code()) // zero counts as Execution
			if kind != c.kind || o.Delivery != c.how || lifecycle.DeliveryOf(o.Err) != c.how || o.Err.Tool != "t" || o.Result != nil {
				t.Errorf("%T %v: %v, %v (%v) of %q; want %v, %v", err, err, kind, o.Delivery, lifecycle.DeliveryOf(o.Err), o.Err.Tool, c.kind, c.how)
			}
			if d := (driven{}); errors.As(err, &d) && d.how == lifecycle.Rejected && o.Err.After != d.after {
				t.Errorf("%+v: after %v", d, o.Err.After)
			}
		}
	}
}
