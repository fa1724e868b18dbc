package jsonrpc_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
)

// TestAppend proves the rows it names.
//
// rows: HTTP-011
func TestAppend(t *testing.T) {
	id := jsonrpc.Int(7)
	for _, c := range []struct {
		m    jsonrpc.Message
		want string
	}{
		{jsonrpc.Message{Kind: jsonrpc.KindRequest, ID: id, Method: "m"}, `{"jsonrpc":"2.0","id":7,"method":"m"}`},
		{jsonrpc.Message{Kind: jsonrpc.KindRequest, ID: jsonrpc.String("a\n"), Method: "m\n<&>\"", Body: `{"a":1}`}, `{"jsonrpc":"2.0","id":"a\n","method":"m\n<&>\"","params":{"a":1}}`},
		{jsonrpc.Message{Kind: jsonrpc.KindRequest, ID: id, Method: "m", Body: "null"}, `{"jsonrpc":"2.0","id":7,"method":"m"}`},
		{jsonrpc.Message{Kind: jsonrpc.KindNotification, Method: "n"}, `{"jsonrpc":"2.0","method":"n"}`},
		{jsonrpc.Message{Kind: jsonrpc.KindNotification, Method: "", Body: `{}`}, `{"jsonrpc":"2.0","method":"","params":{}}`},
		{jsonrpc.Message{Kind: jsonrpc.KindNotification, Method: "\xff"}, "{\"jsonrpc\":\"2.0\",\"method\":\"\ufffd\"}"},
		{jsonrpc.Message{Kind: jsonrpc.KindResult, ID: id, Body: `{"a":[]}`}, `{"jsonrpc":"2.0","id":7,"result":{"a":[]}}`},
		{jsonrpc.Message{Kind: jsonrpc.KindResult, ID: id}, `{"jsonrpc":"2.0","id":7,"result":{}}`},
		{jsonrpc.Message{Kind: jsonrpc.KindResult, ID: id, Body: "null"}, `{"jsonrpc":"2.0","id":7,"result":{}}`},
		{jsonrpc.Message{Kind: jsonrpc.KindError, ID: id, Err: &jsonrpc.Error{Code: -1, Message: "<no>"}}, `{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"<no>"}}`},
		{jsonrpc.Message{Kind: jsonrpc.KindError, Err: &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "p", Data: "null"}}, `{"jsonrpc":"2.0","error":{"code":-32700,"message":"p","data":null}}`},
		{jsonrpc.Message{Kind: jsonrpc.KindError, ID: jsonrpc.Null, Err: &jsonrpc.Error{Data: `[1]`}}, `{"jsonrpc":"2.0","id":null,"error":{"code":0,"message":"","data":[1]}}`},
		{jsonrpc.Message{Kind: jsonrpc.KindError, ID: id}, `{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"internal error"}}`},
		// What does not belong to the kind is not written.
		{jsonrpc.Message{Kind: jsonrpc.KindResult, ID: id, Method: "m", Err: &jsonrpc.Error{}, Body: `{}`}, `{"jsonrpc":"2.0","id":7,"result":{}}`},
		{jsonrpc.Message{Kind: jsonrpc.KindNotification, ID: id, Method: "m"}, `{"jsonrpc":"2.0","method":"m"}`},
		{jsonrpc.Message{}, ``},
		{jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":5}`), ``},
		{jsonrpc.Message{Kind: 99, ID: id}, ``},
		{jsonrpc.Message{Kind: jsonrpc.KindBatch}, ``},
		{jsonrpc.BatchOf(jsonrpc.Message{}, jsonrpc.BatchOf(jsonrpc.Message{Kind: jsonrpc.KindResult, ID: id})), ``},
		{jsonrpc.BatchOf(
			jsonrpc.Message{},
			jsonrpc.Message{Kind: jsonrpc.KindResult, ID: id},
			jsonrpc.Message{},
			jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1.0,"method":"m"}`),
		), `[{"jsonrpc":"2.0","id":7,"result":{}},{"jsonrpc":"2.0","id":1.0,"method":"m"}]`},
	} {
		if got := string(jsonrpc.Append([]byte("x"), c.m)); got != "x"+c.want {
			t.Errorf("Append(%s)\n got %s\nwant %s", show(c.m), got, c.want)
		}
		line := ""
		if c.want != "" {
			line = c.want + "\n"
		}
		if got := string(jsonrpc.AppendLine([]byte("x\n"), c.m)); got != "x\n"+line {
			t.Errorf("AppendLine(%s)\n got %s\nwant %s", show(c.m), got, line)
		}
	}
}

// Line breaks between the tokens of a peer's text do not break the line, and
// strings keep theirs.
//
// rows: STDIO-004
func TestAppendIsOneLine(t *testing.T) {
	pretty := jsonrpc.Raw("{\r\n  \"a\\n\": [\n    \"\u2028\\r\\n\"\r  ]\n}")
	blanks := jsonrpc.Raw("{    \"a\\n\": [     \"\u2028\\r\\n\"   ] }")
	for _, c := range []struct {
		m    jsonrpc.Message
		want string
	}{
		{jsonrpc.Message{Kind: jsonrpc.KindRequest, ID: jsonrpc.String("\r\n"), Method: "\n", Body: pretty}, `{"jsonrpc":"2.0","id":"\r\n","method":"\n","params":` + string(blanks) + "}\n"},
		{jsonrpc.Message{Kind: jsonrpc.KindError, ID: jsonrpc.Int(1), Err: &jsonrpc.Error{Message: "\n\r", Data: pretty}}, `{"jsonrpc":"2.0","id":1,"error":{"code":0,"message":"\n\r","data":` + string(blanks) + "}}\n"},
	} {
		if got := string(jsonrpc.Append([]byte("first\r\n"), c.m)); got != "first\r\n"+c.want[:len(c.want)-1] {
			t.Errorf("Append(%s) = %q", show(c.m), got)
		}
		got := string(jsonrpc.AppendLine([]byte("first\r\n"), c.m))
		if got != "first\r\n"+c.want {
			t.Errorf("AppendLine(%s) = %q", show(c.m), got)
		}
		a, b := c.m, jsonrpc.DecodeString(got[len("first\r\n"):])
		if a.Method != b.Method || a.ID != b.ID || strings.ContainsAny(string(b.Body), "\r\n") {
			t.Errorf("read again: %s", show(b))
		}
	}
}

func TestSpelling(t *testing.T) {
	for _, spelling := range []jsonrpc.Raw{`1.0`, `1e3`, `-0`, `"\u0061b"`, `10000000000000000000`, `"a\/b"`, `0.1e401`} {
		m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":` + string(spelling) + `,"method":"ping"}`)
		if m.Spelling() != spelling {
			t.Errorf("%s is kept as %q", spelling, m.Spelling())
		}
		if got, want := string(jsonrpc.Append(nil, m)), `{"jsonrpc":"2.0","id":`+string(spelling)+`,"method":"ping"}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		answer := jsonrpc.Message{Kind: jsonrpc.KindResult, ID: m.ID}.Spelled(m.Spelling())
		if got, want := string(jsonrpc.Append(nil, answer)), `{"jsonrpc":"2.0","id":`+string(spelling)+`,"result":{}}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		// A relay gives the message an id of its own.
		m.ID = jsonrpc.Int(5)
		if got, want := string(jsonrpc.Append(nil, m)), `{"jsonrpc":"2.0","id":5,"method":"ping"}`; got != want || m.Spelling() != "" {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	one := jsonrpc.Message{Kind: jsonrpc.KindResult, ID: jsonrpc.Int(1)}
	for _, useless := range []jsonrpc.Raw{``, `1`, `2.0`, `"1"`, `1.0 `, `1.5`, `null`, `x`, `1.0,"x":1`} {
		if m := one.Spelled(useless); m != one {
			t.Errorf("1 is spelled %s", m.Spelling())
		}
	}
	if m := one.Spelled("1.0").Spelled(""); m.Spelling() != "1.0" {
		t.Errorf("an empty spelling has an effect: %q", m.Spelling())
	}
}

func TestBatchOf(t *testing.T) {
	all := []jsonrpc.Message{{Kind: jsonrpc.KindResult, ID: jsonrpc.Int(1)}, {Kind: jsonrpc.KindNotification, Method: "n"}}
	m := jsonrpc.BatchOf(all...)
	all[0] = jsonrpc.Message{}
	if b := m.Batch(); m.Kind != jsonrpc.KindBatch || len(b) != 2 || b[0].ID != jsonrpc.Int(1) || b[1].Method != "n" {
		t.Errorf("batch of %v", show(m))
	}
}

func TestRaw(t *testing.T) {
	b := []byte(" \t{\"a\": \"\u00a0\" }\r\n")
	r, err := jsonrpc.ParseRaw(b)
	if err != nil || r != "{\"a\": \"\u00a0\" }" {
		t.Fatalf("%q, %v", r, err)
	}
	b[3] = '#'
	if got := string(r.AppendJSON([]byte("x"))); got != "x{\"a\": \"\u00a0\" }" {
		t.Errorf("appended: %s", got)
	}
	for text, want := range map[string]string{
		``: "bad syntax", `{`: "bad syntax", `1 2`: "data after the value", "\"\xff\"": "invalid UTF-8", strings.Repeat("[", 600): "nested too deeply",
	} {
		r, err := jsonrpc.ParseRaw([]byte(text))
		if r != "" || !errors.Is(err, jsonrpc.ErrRaw) || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseRaw(%.10q) = %q, %v", text, r, err)
		}
	}
}

func TestError(t *testing.T) {
	var err error = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no such tool"}
	if got := err.Error(); got != "jsonrpc error -32602: no such tool" {
		t.Error(got)
	}
	var e *jsonrpc.Error
	if !errors.As(err, &e) || e.Code != -32602 {
		t.Error("errors.As finds no *Error")
	}
	for code, want := range map[int64]int64{
		jsonrpc.CodeParseError: -32700, jsonrpc.CodeInvalidRequest: -32600, jsonrpc.CodeMethodNotFound: -32601,
		jsonrpc.CodeInvalidParams: -32602, jsonrpc.CodeInternalError: -32603,
	} {
		if code != want {
			t.Errorf("code %d, want %d", code, want)
		}
	}
}
