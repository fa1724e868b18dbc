package protocol_test

import (
	"slices"
	"testing"

	. "github.com/sansmcp/mcp/protocol"
)

// The revisions are those of the specification by name, newest first, and nothing that is
// nearly one.
//
// rows: VERS-101
func TestRevisionNames(t *testing.T) {
	if list := Revisions(); !slices.Equal(list, every[:]) {
		t.Errorf("%v", list)
	}
	for name, want := range map[string]Revision{
		"2025-11-25": Revision20251125, "2025-06-18": Revision20250618, "2025-03-26": Revision20250326, "2024-11-05": Revision20241105,
		"2025-11-25 ": {}, "DRAFT-2025-v3": {}, "2025-11-5": {}, "": {}, "2025-11-26": {},
	} {
		if r, ok := ParseRevision(name); r != want || ok == want.IsZero() {
			t.Errorf("%q: %v, %v", name, r, ok)
		}
	}
	if Revision20251125.NullErrorID() || !Revision20251125.Structured() || Revision20251125.Batches() {
		t.Error("the flags of 2025-11-25 are not its own")
	}
	if r, exact := Negotiate("2025-11-25", Revisions()); r != Revision20251125 || !exact {
		t.Errorf("%v, %v", r, exact)
	}
}

// The revisions without a handshake have names like the others, and initialize agrees on none of them.
//
// rows: VERS-201 VERS-207 JRPC-208 LIFE-201
// revisions: 2026-07-28
func TestStatelessNames(t *testing.T) {
	if list := StatelessRevisions(); !slices.Equal(list, []Revision{Revision20260728}) || !slices.Equal(AllRevisions(), append(list, Revisions()...)) {
		t.Errorf("%v of %v", list, AllRevisions())
	}
	for name, want := range map[string]Revision{"2026-07-28": Revision20260728, "2026-07-28 ": {}, "2026-07-27": {}, "DRAFT-2026-v1": {}} {
		if r, ok := ParseRevision(name); r != want || ok == want.IsZero() {
			t.Errorf("%q: %v, %v", name, r, ok)
		}
	}
	if r, exact := Negotiate("2026-07-28", Revisions()); r != Revision20251125 || exact {
		t.Errorf("%v, %v", r, exact)
	}
	for _, method := range []string{
		MethodInitialize, MethodInitialized, MethodPing, MethodLoggingSetLevel, MethodResourcesSubscribe, MethodResourcesUnsubscribe, MethodRootsListChanged, MethodElicitationComplete,
	} {
		if Revision20260728.Row(method) != nil || Revision20251125.Row(method) == nil {
			t.Errorf("%s", method)
		}
	}
	for _, method := range []string{MethodDiscover, MethodListen, MethodAcknowledged} {
		if Revision20260728.Row(method) == nil || Revision20251125.Row(method) != nil {
			t.Errorf("%s", method)
		}
	}
}

// The messages that others may not overtake.
func TestWhatIsNotOvertaken(t *testing.T) {
	for _, m := range []string{MethodInitialize, MethodInitialized, MethodCancelled, MethodPing, MethodToolsCall, "", "Initialize"} {
		if Opens(m) != (m == "initialize" || m == "notifications/initialized") || Withdraws(m) != (m == "notifications/cancelled") {
			t.Errorf("%q: %v, %v", m, Opens(m), Withdraws(m))
		}
	}
}

// What Streamable HTTP asks of a revision came with the revisions that say so.
//
// rows: HTTP-050 HTTP-055 HTTP-103 HTTP-110
func TestTransportFlags(t *testing.T) {
	type flags struct{ version, polling, narrow bool }
	for name, want := range map[string]flags{"2024-11-05": {}, "2025-03-26": {}, "2025-06-18": {version: true}, "2025-11-25": {true, true, true}, "": {narrow: true}} {
		r, _ := ParseRevision(name)
		if r.VersionHeader() != want.version || r.Polling() != want.polling {
			t.Errorf("%v: %v, %v", r, r.VersionHeader(), r.Polling())
		}
		for status := range 700 {
			any4xx := status >= 400 && status < 500 && status != 401 && status != 403
			if got := r.Fallback(status); got != (status == 400 || status == 404 || status == 405 || any4xx && !want.narrow) {
				t.Errorf("%v: status %d: %v", r, status, got)
			}
		}
	}
}
