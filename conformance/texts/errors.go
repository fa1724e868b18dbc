package texts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Errors are errors of all kinds, by names that say what they are: those of this library, bare and
// within each other, and what they are told with.
type Errors struct {
	names []string
	of    map[string]error
}

// Names yields the names in an order.
func (e *Errors) Names() iter.Seq[string] { return slices.Values(e.names) }

// Of returns the error of a name.
func (e *Errors) Of(name string) error { return e.of[name] }

func (e *Errors) add(name string, err error) {
	e.names = append(e.names, name)
	e.of[name] = err
}

// AllErrors returns them.
func AllErrors() *Errors {
	e := &Errors{of: map[string]error{}}
	plain := []error{
		errors.New("x"), io.EOF, context.Canceled, context.DeadlineExceeded, os.ErrDeadlineExceeded, lifecycle.ErrGone, lifecycle.ErrParams, lifecycle.ErrPhase,
		lifecycle.ErrCapability, lifecycle.ErrRevision, lifecycle.ErrLimit, lifecycle.ErrConfig, lifecycle.ErrSnapshot,
	}
	for _, code := range []int64{-32700, -32603, -32602, -32601, -32600, -32800, -32002, -32001, -32000, 1} {
		for _, data := range []jsonrpc.Raw{"", `"d"`, `{"uri":"a:b"}`} {
			plain = append(plain, &jsonrpc.Error{Code: code, Message: "m", Data: data})
		}
	}
	for kind := toolerror.UnknownTool; toolerror.KindOf(kind.Code()) == kind; kind++ {
		for i := range 4 {
			own := &toolerror.Error{Kind: kind, Tool: "t", Text: "said", MayHaveRun: i%2 == 1, Remote: i/2 == 1, After: time.Duration(i) * time.Second}
			r := own.JSONRPC(toolerror.Options{Text: true})
			r.Data = own.Payload()
			plain = append(plain, own, &r)
		}
		plain = append(plain, kind)
	}
	for d := lifecycle.MayHaveRun; d <= lifecycle.Answered; d++ {
		for i := range 4 {
			plain = append(plain, delivered{d, time.Duration(i/2) * time.Minute, i%2 == 1})
		}
	}
	for i, err := range plain {
		name := fmt.Sprintf("%d %T %v", i, err, err)
		e.add(name, err)
		e.add("wrapped "+name, fmt.Errorf("around: %w", err))
	}
	kinds := lifecycle.CauseKind(0)
	for lifecycle.ParseCause(kinds.String()) == kinds {
		kinds++
	}
	for kind := range kinds + 1 {
		for _, reason := range []string{"", "why", jsonrpc.FaultSize.String() + ": 9"} {
			e.add(fmt.Sprintf("cause %v %q", kind, reason), &lifecycle.Cause{Kind: kind, Reason: reason})
		}
		e.add(fmt.Sprintf("cause %v, rpc", kind), &lifecycle.Cause{Kind: kind, RPC: &jsonrpc.Error{Code: -32602, Message: "m", Data: `{"a":1}`}})
		for i, err := range plain {
			e.add(fmt.Sprintf("cause %v of %d %T %v", kind, i, err, err), &lifecycle.Cause{Kind: kind, Err: err})
		}
	}
	return e
}

// delivered is an error of a driver.
type delivered struct {
	how   lifecycle.Delivery
	after time.Duration
	late  bool
}

// Error implements error.
func (d delivered) Error() string { return fmt.Sprint(d.how, d.after, d.late) }

// Delivery says how far the message came.
func (d delivered) Delivery() lifecycle.Delivery { return d.how }

// RetryAfter says how long the peer is to be left alone.
func (d delivered) RetryAfter() time.Duration { return d.after }

// Timeout says whether it took too long.
func (d delivered) Timeout() bool { return d.late }

// Said is what the peer said.
func (d delivered) Said() string {
	if d.late {
		return ""
	}
	return "a sentence"
}
