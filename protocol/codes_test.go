package protocol_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	. "github.com/sansmcp/mcp/protocol"
)

// The codes, and that what the machines write is one short sentence that holds nothing of
// the peer.
//
// rows: ERR-001 ERR-014 JRPC-018
func TestErrors(t *testing.T) {
	const hostile = "\n<script>\x00"
	for _, c := range []struct {
		e    jsonrpc.Error
		code int64
		data string
	}{
		{InvalidRequest("invalid request"), -32600, ""}, {MethodNotFound(), -32601, ""},
		{CapabilityNotDeclared(), -32601, `{"reason":"capability not declared"}`},
		{InvalidParams("invalid params"), -32602, ""}, {InternalError("internal error"), -32603, ""},
		{ResourceNotFound(hostile), -32002, `{"uri":"\n<script>\u0000"}`},
		{UnsupportedRevision(Revisions(), hostile), -32602, `{"supported":["2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"requested":"\n<script>\u0000"}`},
	} {
		if c.e.Code != c.code || string(c.e.Data) != c.data {
			t.Errorf("%d %s, want %d %s", c.e.Code, c.e.Data, c.code, c.data)
		}
		if m := c.e.Message; m == "" || len(m) >= 200 || strings.ContainsAny(m, "\n<") {
			t.Errorf("message %q", m)
		}
		if err := CheckError(c.e, Encoding{}); err != nil {
			t.Error(err)
		}
	}
	if jsonrpc.CodeParseError != -32700 || CodeUserRejected != -1 {
		t.Error("a code has another value")
	}
	for _, bad := range []jsonrpc.Error{{Message: "no code"}, {Code: 1, Data: "{"}} {
		if CheckError(bad, Encoding{}) == nil {
			t.Errorf("%+v may be sent", bad)
		}
	}
}

// What each party may send is what the tables of schema.ts list.
//
// rows: SCHEMA-022
func TestWhatEachPartySends(t *testing.T) {
	count := map[string]int{}
	for _, row := range Revision20250618.Rows() {
		if !Known(row.Method) || Revision20250618.Row(row.Method) != row {
			t.Errorf("%v is not known by its name", row.Method)
		}
		kind := " requests"
		if row.Notification {
			kind = " notifications"
		}
		for _, p := range []Party{Client, Server} {
			if row.Receiver.Has(p.Peer()) {
				count[p.String()+kind]++
			}
		}
	}
	for what, want := range map[string]int{"client requests": 13, "client notifications": 4, "server requests": 4, "server notifications": 7} {
		if count[what] != want {
			t.Errorf("%s: %d, want %d", what, count[what], want)
		}
	}
}

func TestCapabilityNames(t *testing.T) {
	for c := Capability(0); c <= CapElicitationURL<<1-1; c += 37 {
		if got, ok := ParseCapability(c.String()); !ok || got != c {
			t.Errorf("%v reads as %v, %v", c, got, ok)
		}
	}
	if _, ok := ParseCapability("tools,nope"); ok {
		t.Error("an unknown name was read")
	}
	all := CapElicitationURL<<1 - 1
	back := DeclareServer(all).Set() | DeclareClient(all).Set()
	if back != all {
		t.Errorf("%v declared and read as %v", all, back)
	}
}

// Every value has a name of its own, and so has what is no value.
func TestNames(t *testing.T) {
	for want, got := range map[string]string{
		"none": Party(0).String(), "client": Client.String(), "server": Server.String(), "both": BothParties.String(),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	reasons := map[string]bool{}
	for r := ReasonMissing; r <= ReasonUTF8; r++ {
		reasons[r.String()] = true
	}
	if len(reasons) != 9 || reasons[""] || Reason(0).String() == "" || reasons[Reason(255).String()] {
		t.Error(reasons, Reason(0), Reason(255))
	}
}

// Of a list with odd items DropInvalidItems says how many there are, up to one more than it drops;
// then the list stays as it is.
func TestDropOddCounts(t *testing.T) {
	const odd, good = `{"name":7}`, `{"name":"a","inputSchema":{"type":"object"}}`
	last := 0
	for n := range 2000 {
		raw := Raw(`{"tools":[` + good + strings.Repeat(","+odd, n) + `]}`)
		rest, dropped, ok := rowOf(MethodToolsList).DropInvalidItems(raw)
		if !ok && n > 0 {
			if last = n; rest != raw || dropped != n {
				t.Errorf("%d odd items: %d dropped", n, dropped)
			}
			break
		}
		if n > 0 && (dropped != n || string(rest) != `{"tools":[`+good+`]}`) {
			t.Fatalf("%d odd items: %d dropped, %.100s", n, dropped, rest)
		}
	}
	if last == 0 {
		t.Error("any number is dropped")
	}
}

// What is none of the texts or pages that there are has an answer too.
func TestNone(t *testing.T) {
	if got := Phase(99).String(); got != "phase(?)" {
		t.Errorf("%q", got)
	}
	row := Revision20260728.Row(MethodToolsCall)
	for _, data := range []string{"", "[]", `{"elicitations":7}`, `{"elicitations":[]}`} {
		if ask := row.AsksPages(&jsonrpc.Error{Code: CodeURLElicitationRequired, Data: jsonrpc.Raw(data)}); ask != nil {
			t.Errorf("%s asks %v", data, ask)
		}
	}
	list := Raw(`{"tools":[{"name":"a b","icons":7,"inputSchema":{"type":"object"}},{"name":"c","inputSchema":{"type":"object"}}]}`)
	if r := Revision20251125.Row(MethodToolsList).Accept(Reply{Body: list}); len(r.Found) != 2 {
		t.Errorf("%+v", r)
	}
	if err := Within("T", "m", errors.ErrUnsupported); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
	if end := UsualText(`"a`, 0); end != -1 {
		t.Error(end)
	}
	if text, ok := AsText(`{"type":"tool_result","content":7}`); ok {
		t.Errorf("%q", text)
	}
}
