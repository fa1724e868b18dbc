package lifecycle_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// The names of the deliveries, and of a value that is none.
func TestDeliveryNames(t *testing.T) {
	for _, tt := range []struct {
		d          lifecycle.Delivery
		want       string
		repeatable bool
	}{
		{lifecycle.MayHaveRun, "may have run", false},
		{lifecycle.NotSent, "not sent", true},
		{lifecycle.Rejected, "did not run", true},
		{lifecycle.Answered, "answered", false},
		{lifecycle.Answered + 1, "delivery(?)", false},
	} {
		if got := tt.d.String(); got != tt.want || tt.d.Repeatable() != tt.repeatable {
			t.Errorf("%d: %q, repeatable: %v", tt.d, got, tt.d.Repeatable())
		}
	}
}

// wrapsNothing is an error that could wrap another one.
type wrapsNothing struct{ error }

func (wrapsNothing) Unwrap() error { return nil }

// The outermost error that knows of the delivery decides, and what nobody knows of may have run.
func TestDeliveryOf(t *testing.T) {
	rejected := &lifecycle.Cause{Kind: lifecycle.CauseRejected}
	for _, tt := range []struct {
		err  error
		want lifecycle.Delivery
	}{
		{nil, lifecycle.Answered},
		{jsonrpc.Error{Code: -32602}, lifecycle.Answered},
		{fmt.Errorf("x: %w", &jsonrpc.Error{Code: -32602}), lifecycle.Answered},
		{&lifecycle.Cause{Kind: lifecycle.CauseRejected, Err: &jsonrpc.Error{}}, lifecycle.Rejected},
		{io.EOF, lifecycle.MayHaveRun},
		{fmt.Errorf("x: %w", io.EOF), lifecycle.MayHaveRun},
		{errors.Join(io.EOF, io.ErrClosedPipe), lifecycle.MayHaveRun},
		{(*lifecycle.Cause)(nil), lifecycle.MayHaveRun},
		{cause, lifecycle.MayHaveRun},
		{rejected, lifecycle.Rejected},
		{&lifecycle.Cause{Kind: lifecycle.CauseNotSent}, lifecycle.NotSent},
		{&lifecycle.Cause{Kind: lifecycle.CauseMissingCapability}, lifecycle.NotSent},
		{&lifecycle.OpError{Err: lifecycle.ErrLimit}, lifecycle.NotSent},
		{fmt.Errorf("x: %w", rejected), lifecycle.Rejected},
		{errors.Join(io.EOF, fmt.Errorf("x: %w", rejected)), lifecycle.Rejected},
		{errors.Join(cause, rejected), lifecycle.MayHaveRun},
		{wrapsNothing{}, lifecycle.MayHaveRun},
		{lifecycle.Unsent(io.EOF), lifecycle.NotSent},
		{lifecycle.Unsent(cause), lifecycle.NotSent},
		{fmt.Errorf("%w, %w", io.EOF, lifecycle.Unsent(io.EOF)), lifecycle.NotSent},
	} {
		if got := lifecycle.DeliveryOf(tt.err); got != tt.want {
			t.Errorf("%#v: %v, want %v", tt.err, got, tt.want)
		}
	}
}

// An unsent error is the error within, with its text; of no error there is none.
func TestUnsent(t *testing.T) {
	if err := lifecycle.Unsent(nil); err != nil {
		t.Errorf("of nil: %v", err)
	}
	if err := lifecycle.Unsent(io.EOF); !errors.Is(err, io.EOF) || err.Error() != "EOF" {
		t.Errorf("of EOF: %v", err)
	}
}
