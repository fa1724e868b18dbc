package protocol_test

import (
	"errors"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	. "github.com/sansmcp/mcp/protocol"
)

// The zero Revision has no rows and judges nothing.
func TestNoRevision(t *testing.T) {
	var r Revision
	if r.Rows() != nil || r.CustomRow(Client) != nil || r.CustomRow(Server) != nil || r.CustomNotificationRow() != nil {
		t.Error("it has rows")
	}
	if set := Methods(0).With(r.Row(MethodPing)); set != 0 || set.Has(nil) || set.With(Revision20251125.CustomRow(Client)) != 0 {
		t.Errorf("a set has no row in it: %b", set)
	}
	e := URLElicitationRequired()
	if rule, ids := r.JudgeError(&e, 0, true); rule != "" || ids != nil {
		t.Errorf("%q, %q", rule, ids)
	}
	if rule, ids := Revision20251125.JudgeError(nil, 0, true); rule != "" || ids != nil {
		t.Errorf("no error: %q, %q", rule, ids)
	}
}

// Nothing is a result of a notification, and no row knows a third kind of body.
func TestRowsWithoutAResult(t *testing.T) {
	for _, r := range Revisions() {
		for _, row := range append(r.Rows(), r.CustomRow(Client), r.CustomRow(Server), r.CustomNotificationRow()) {
			const body = Raw(`{"a":null}`)
			if raw, lossy := row.Downgrade(BodyResult+1, body); raw != body || lossy || row.WithoutNulls(BodyResult+1, body) != body {
				t.Errorf("%v %s: %s", r, row.Method, raw)
			}
			if !row.Notification {
				continue
			}
			var e *DecodeError
			if err := row.CheckResult("{}", jsonrpc.Span{}); !errors.As(err, &e) {
				t.Errorf("%v %s: %v", r, row.Method, err)
			}
			if a := row.Accept(Reply{Body: "{}"}); !errors.As(a.Err, &e) {
				t.Errorf("%v %s: %+v", r, row.Method, a)
			}
			if _, err := row.EncodeResult(Raw("{}"), "", Encoding{}); !errors.As(err, &e) {
				t.Errorf("%v %s: %v", r, row.Method, err)
			}
		}
	}
}

// Zero values that only this package fills have a text all the same.
func TestZeroErrors(t *testing.T) {
	if e := new(FieldError); e.Error() == "" || errors.Unwrap(e) != nil {
		t.Errorf("%q wraps %v", e.Error(), errors.Unwrap(e))
	}
	if e := new(List).Unknown("x"); e.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("%v", e)
	}
}
