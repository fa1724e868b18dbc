package scan

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

var samples = []string{
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}`,
	` { "jsonrpc" : "2.0" , "id" : "x" , "result" : { } } `,
	`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no \"such\" method\n"}}`,
	`{"a":[1,-0,0.5,1e9,-1.25E-7,true,false,null,[],{},[[]],{"b":{"c":[]}}]}`,
	`{"s":"\u00e9\ud83d\ude00 é — 日本語 \\ \/ \b\f\n\r\t end of a long enough string to use the wide loop"}`,
	`{"s":"` + strings.Repeat("0123456789abcdef", 20) + `"}`,
	`{}`, `[]`, `null`, `"x"`, `0`, ``, `{`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{"a":01}`, `{"a":1.}`, `{"a":.5}`,
	`{"a":+1}`, `{"a":1e}`, `{"a":tru}`, `{"a":"\x"}`, `{"a":"\u12g4"}`, "{\"a\":\"\x01\"}", "{\"a\":\"\xff\"}",
	`{"a":1}{"b":2}`, `{"a":1} x`, `{"a":[1,2}`, `{"a":{"b":1]}`, `{"a":[1,]}`, `{"a":[,1]}`, `{,}`, `{"a" 1}`,
}

func check(t *testing.T, in string) {
	t.Helper()
	var s Scanner
	want := json.Valid([]byte(in)) && utf8.ValidString(in)
	if got := s.Valid([]byte(in)); got != want {
		t.Errorf("Valid(%q) = %v, want %v", in, got, want)
	}
	var e Envelope
	err := s.Parse([]byte(in), &e)
	var m map[string]json.RawMessage
	isObject := json.Unmarshal([]byte(in), &m) == nil && m != nil && utf8.ValidString(in)
	if (err == nil || err == ErrDuplicate) != isObject {
		t.Errorf("Parse(%q) = %v, want object %v", in, err, isObject)
	}
	if err == nil && !strings.Contains(in, `\u`) { // the floor does not support escaped keys
		for k, v := range map[string][]byte{"id": e.ID, "method": e.Method, "params": e.Params, "result": e.Result, "error": e.Error} {
			if string(m[k]) != string(v) {
				t.Errorf("Parse(%q): %s = %q, want %q", in, k, v, m[k])
			}
		}
	}
}

// TestParse compares the scanner with encoding/json.
func TestParse(t *testing.T) {
	for _, in := range samples {
		check(t, in)
		for i := range in { // truncated there, and without the byte there
			check(t, in[:i])
			check(t, in[:i]+in[i+1:])
		}
	}
}

func TestDepth(t *testing.T) {
	var s Scanner
	deep := func(n int) []byte {
		return []byte(strings.Repeat(`[`, n) + strings.Repeat(`]`, n))
	}
	if !s.Valid(deep(MaxDepth)) || s.Valid(deep(MaxDepth+2)) {
		t.Error("depth limit not kept")
	}
}

func TestDuplicate(t *testing.T) {
	var s Scanner
	var e Envelope
	if err := s.Parse([]byte(`{"id":1,"id":2}`), &e); err != ErrDuplicate {
		t.Errorf("got %v", err)
	}
}
