package exchange_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// What a server of this module says that had no room, nothing was done of and may be tried again; all else that it says
// in that form, and errors in another one, may have run.
func TestTurnedAway(t *testing.T) {
	for name, c := range map[string]struct {
		data jsonrpc.Raw
		want lifecycle.Delivery
	}{
		"no room":        {(&toolerror.Error{Kind: toolerror.Unavailable}).Payload(), lifecycle.Rejected},
		"too often":      {(&toolerror.Error{Kind: toolerror.RateLimited}).Payload(), lifecycle.Rejected},
		"may have run":   {(&toolerror.Error{Kind: toolerror.Unavailable, MayHaveRun: true}).Payload(), lifecycle.MayHaveRun},
		"something else": {(&toolerror.Error{Kind: toolerror.RemoteRPC}).Payload(), lifecycle.MayHaveRun},
		"output":         {(&toolerror.Error{Kind: toolerror.InvalidOutput}).Payload(), lifecycle.MayHaveRun},
		"another form":   {`{"kind":"unavailable?"}`, lifecycle.MayHaveRun},
		"none":           {"", lifecycle.MayHaveRun},
	} {
		f := exchange.Failure{Reason: exchange.Refused, Status: 503, Err: &jsonrpc.Error{Code: -32000, Message: "no", Data: c.data}}
		if f.Delivery() != c.want || !f.Temporary() {
			t.Errorf("%s: %v, temporary %v", name, f.Delivery(), f.Temporary())
		}
	}
}

// The error that a server gave is found by errors.As; without one there is none. Each reason has a name, and no other.
func TestUnwrap(t *testing.T) {
	said := &jsonrpc.Error{Code: -32000, Message: "no"}
	var found *jsonrpc.Error
	if !errors.As(exchange.Failure{Reason: exchange.Refused, Err: said}, &found) || found != said {
		t.Error(found)
	}
	if err := (exchange.Failure{Reason: exchange.Refused}).Unwrap(); err != nil {
		t.Error(err)
	}
	if exchange.Rejected.String() != "rejected" || (exchange.Rejected+1).String() != "reason(?)" {
		t.Error(exchange.Rejected, exchange.Rejected+1)
	}
}

// A request that says what it is made under belongs to no session, and its headers repeat it; one of a revision that has
// sessions does not.
//
// revisions: 2026-07-28
func TestWithoutSession(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","_meta":{"io.modelcontextprotocol/protocolVersion":"`
	of := func(version string) []headers.Field {
		return exchange.Post(exchange.Options{}, exchange.Session{ID: "s1"}, jsonrpc.DecodeString(call+version+`"}}}`)).Fields()
	}
	has := func(list []headers.Field, f headers.Field) bool { return slices.Contains(list, f) }
	newest := protocol.AllRevisions()[0].String()
	list := of(newest)
	for _, f := range []headers.Field{{Name: headers.Version, Value: newest}, {Name: headers.RPCMethod, Value: "tools/call"}, {Name: headers.RPCName, Value: "t"}} {
		if !has(list, f) {
			t.Errorf("%q is not in %q", f, list)
		}
	}
	if session := (headers.Field{Name: headers.Session, Value: "s1"}); has(list, session) || !has(of("2025-11-25"), session) {
		t.Errorf("%q and %q", list, of("2025-11-25"))
	}
}
