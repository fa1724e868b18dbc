package fuzz_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

var texts = []string{
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi, this is a longer text","n":[1,-2.5e3]}}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":0.5}}`,
	`{"jsonrpc":"2.0","id":"a","result":{"content":[{"type":"text","text":"\u00e9\ud83d\ude00\n漢字"}]}}`,
	`{"jsonrpc":"2.0","id":1.0,"error":{"code":-32601,"message":"no","data":null}}`,
	`{"jsonrpc":"2.0","id":null,"error":{"code":1e2,"message":"\ud800"}}`,
	`{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}`, `{"\u0069d":9223372036854775808,"method":5}`, `{"id":3,"result":{},"error":{}}`,
	`[{"jsonrpc":"2.0","method":"a"},5,[]]`, `{}`, `[]`, `42`, `nul`, "\xff", "{\"a\":\"\xff\"}", `{} {}`, `{"a":1,"a":{"b":[]}}`,
}

// FuzzDecode compares Decode with encoding/json and a naive reading of the table
// of invalid input, and what Append writes of the message with both.
func FuzzDecode(f *testing.F) {
	for _, s := range texts {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		text = unmarked(text)
		m := jsonrpc.Decode(text)
		if marked := jsonrpc.Decode([]byte("\ufeff" + string(text))); of(marked) != of(m) || marked.Fault != m.Fault {
			t.Fatalf("%q: %+v, after a byte order mark %+v", text, m, marked)
		}
		valid := json.Valid(text) && utf8.Valid(text)
		switch m.Fault {
		case jsonrpc.FaultSyntax, jsonrpc.FaultUTF8, jsonrpc.FaultTrailing:
			if valid {
				t.Fatalf("%q: %+v", text, m)
			}
			salvaged(t, text, m)
			return
		case jsonrpc.FaultDepth, jsonrpc.FaultSize:
			salvaged(t, text, m)
			return
		}
		if !valid {
			t.Fatalf("%q: %+v", text, m)
		}
		if o, ok := read(text); ok {
			if want, sure := judge(o); sure && of(m) != want {
				t.Fatalf("%q: %+v, want %+v", text, of(m), want)
			}
			check(t, m, o)
		} else if m.Kind != jsonrpc.KindBatch && of(m) != (verdict{}) {
			t.Fatalf("%q: %+v", text, m)
		}
		for _, e := range m.Batch() {
			if e.Kind == jsonrpc.KindBatch {
				t.Fatalf("%q: a batch in a batch", text)
			}
		}
		written(t, m)
	})
}

// unmarked returns text without the byte order marks at its start.
func unmarked(text []byte) []byte {
	for bytes.HasPrefix(text, []byte("\ufeff")) {
		text = text[len("\ufeff"):]
	}
	return text
}

// salvaged compares what was read of a faulty text with what encoding/json
// reads of it: no id but one before the fault, and no body.
func salvaged(t *testing.T, text []byte, m jsonrpc.Message) {
	if m.Kind != jsonrpc.KindInvalid || m.Body != "" || m.Err != nil || len(m.Batch()) > 0 {
		t.Fatalf("%q: %+v", text, m)
	}
	if m.ID.IsZero() {
		return
	}
	o := start(text)
	if m.Shape != jsonrpc.KindRequest && m.Shape != jsonrpc.KindResult || o.times["id"] != 1 {
		t.Fatalf("%q: %+v", text, m)
	}
	if asks := o.times["method"] > 0; asks != (m.Shape == jsonrpc.KindRequest) {
		t.Fatalf("%q: %+v", text, m)
	}
	if id, _, ok := jsonrpc.ParseID(string(o.values["id"])); !ok || id != m.ID {
		t.Fatalf("%q: id %v, want %s", text, m.ID, o.values["id"])
	}
}

// check compares the content of a valid message with the members of the object.
func check(t *testing.T, m jsonrpc.Message, o object) {
	body := ""
	switch m.Kind {
	case jsonrpc.KindInvalid:
		return
	case jsonrpc.KindResult:
		body = string(o.values["result"])
	case jsonrpc.KindError:
		e, _ := read(o.values["error"])
		var message string
		if json.Unmarshal(e.values["message"], &message) != nil || message != m.Err.Message || string(e.values["data"]) != string(m.Err.Data) {
			t.Fatalf("error %s: %+v", o.values["error"], m.Err)
		}
		if n, _ := integer(e.values["code"]); n != nil && n.Int64() != m.Err.Code {
			t.Fatalf("code %v: %+v", n, m.Err)
		}
	default:
		if body = string(o.values["params"]); body == "null" {
			body = ""
		}
		if s, _ := whole(o.values["method"]); s != m.Method {
			t.Fatalf("method %q, want %q", m.Method, s)
		}
	}
	if string(m.Body) != body {
		t.Fatalf("body %q, want %q", m.Body, body)
	}
	if sp := m.Span; sp.Start > sp.End || int(sp.End) > len(body) || sp.End > 0 && !rawjson.Valid(body[sp.Start:sp.End]) {
		t.Fatalf("span %v of %q", sp, body)
	}
	raw := o.values["id"]
	if s, ok := m.ID.Str(); ok {
		if want, _ := whole(raw); s != want {
			t.Fatalf("id %q, want %q", s, want)
		}
	} else if n, sure := integer(raw); sure && n != nil {
		if got, _ := integer(json.RawMessage(m.ID.String())); got == nil || got.Cmp(n) != 0 {
			t.Fatalf("id %v, want %v", m.ID, n)
		}
	}
}

// written checks what Append and AppendLine write of m.
func written(t *testing.T, m jsonrpc.Message) {
	line := jsonrpc.AppendLine(nil, m)
	if len(line) == 0 {
		if m.Kind != jsonrpc.KindInvalid && m.Kind != jsonrpc.KindBatch {
			t.Fatalf("nothing written for %+v", m)
		}
		return
	}
	if !json.Valid(line) || bytes.IndexAny(line, "\r\n") != len(line)-1 {
		t.Fatalf("%+v was written as %q", m, line)
	}
	if m.Kind == jsonrpc.KindBatch {
		return
	}
	again := jsonrpc.Decode(jsonrpc.Append(nil, m))
	if again.Kind != m.Kind || again.ID != m.ID || again.Spelling() != m.Spelling() || again.Method != m.Method ||
		string(again.Body) != strings.NewReplacer("\n", " ", "\r", " ").Replace(string(m.Body)) {
		t.Fatalf("%+v was read again as %+v", m, again)
	}
}

// FuzzFramer cuts a stream in two ways and compares both with a split of the
// whole at its newlines.
func FuzzFramer(f *testing.F) {
	f.Add([]byte("\ufeff"+strings.Join(texts, "\r\n")+"\n\n \n"), []byte{3, 0, 200})
	f.Add([]byte("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n{}\r"), []byte{33, 1})
	f.Fuzz(func(t *testing.T, stream, cuts []byte) {
		const limit = 32
		var want []string
		for line := range bytes.SplitSeq(stream, []byte("\n")) {
			line = unmarked(line)
			line = bytes.TrimSuffix(line, []byte("\r"))
			if len(line) > limit {
				want = append(want, string(line[:limit+1]))
			} else if strings.Trim(string(line), " \t\r\n") != "" {
				want = append(want, string(line))
			}
		}
		fr := jsonrpc.Framer{Decoder: jsonrpc.Decoder{MaxBytes: limit}}
		var got []string
		for i := 0; len(stream) > 0; i++ {
			n := len(stream)
			if len(cuts) > 0 {
				n = min(n, 1+int(cuts[i%len(cuts)]))
			}
			fr.Push(stream[:n])
			stream = stream[n:]
			if i%3 == 2 {
				continue // a driver that fetches later
			}
			for line, ok := fr.NextLine(); ok; line, ok = fr.NextLine() {
				got = append(got, string(line))
			}
		}
		for line, ok := fr.CloseLine(); ok; line, ok = fr.CloseLine() {
			got = append(got, string(line))
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("lines %q, want %q", got, want)
		}
		for _, line := range got {
			if m := fr.Decoder.Decode([]byte(line)); (m.Fault == jsonrpc.FaultSize) != (len(line) > limit) {
				t.Fatalf("%q: %v", line, m.Fault)
			}
		}
	})
}

// FuzzRawJSON compares the functions of rawjson with encoding/json, on valid and
// invalid text.
func FuzzRawJSON(f *testing.F) {
	for _, s := range texts {
		f.Add(s, "a", `{"b":1}`)
	}
	f.Add(`"a\u0000\ud83d\ude00"`, "", "")
	f.Add(`-12.50E+3`, "x", "null")
	f.Fuzz(func(t *testing.T, text, key, val string) {
		fault := rawjson.Check(text, rawjson.DefaultDepth)
		if fault == rawjson.Depth {
			return
		}
		valid := json.Valid([]byte(text)) && utf8.ValidString(text)
		if valid != (fault == rawjson.OK) {
			t.Fatalf("%q: %v", text, fault)
		}
		trimmed := strings.Trim(text, " \t\r\n")
		if end := rawjson.Skip(text, rawjson.Space(text, 0), rawjson.DefaultDepth); valid && text[len(text)-len(strings.TrimLeft(text, " \t\r\n")):end] != trimmed {
			t.Fatalf("%q: the value ends at %d", text, end)
		}
		scalars(t, trimmed, valid)

		o, isObject := read([]byte(text))
		isObject = isObject && valid
		w, _ := rawjson.Members(text)
		last := map[string]string{}
		for k, v, more := w.Next(); more; k, v, more = w.Next() {
			last[k] = v
		}
		if w.Bad() == isObject || isObject && len(last) != len(o.values) {
			t.Fatalf("%q: members %q, bad %v", text, last, w.Bad())
		}
		for k, v := range o.values {
			if isObject && last[k] != string(v) {
				t.Fatalf("%q: %q is %q, want %q", text, k, last[k], v)
			}
		}
		key = string([]rune(key))
		if got, ok := rawjson.Get(text, key); isObject && (got != string(o.values[key]) || ok != (o.times[key] > 0)) {
			t.Fatalf("%q: Get(%q) = %q, %v", text, key, got, ok)
		}
		if !rawjson.Valid(val) {
			val = ""
		}
		val = strings.Trim(val, " \t\r\n")
		set := rawjson.Set(text, key, val)
		switch {
		case text == "":
		case !isObject:
			if set != text {
				t.Fatalf("%q became %q", text, set)
			}
		default:
			after, ok := read([]byte(set))
			if !ok || !json.Valid([]byte(set)) || string(after.values[key]) != val || after.times[key] > 1 {
				t.Fatalf("%q: Set(%q, %q) = %q", text, key, val, set)
			}
			for k, v := range o.values {
				if k != key && (string(after.values[k]) != string(v) || after.times[k] != o.times[k]) {
					t.Fatalf("%q: Set(%q, %q) = %q", text, key, val, set)
				}
			}
		}
	})
}

// scalars checks the readers of strings and numbers on text, and the writers.
func scalars(t *testing.T, text string, valid bool) {
	var want string
	s, ok := rawjson.Unquote(text)
	if valid && text[0] == '"' {
		_, paired := whole(json.RawMessage(text))
		if json.Unmarshal([]byte(text), &want) != nil || s != want || ok != paired {
			t.Fatalf("Unquote(%s) = %q, %v", text, s, ok)
		}
	} else if ok || s != "" {
		t.Fatalf("Unquote(%q) = %q, %v", text, s, ok)
	}
	if json.Unmarshal(rawjson.AppendQuote(nil, text), &want) != nil || want != string([]rune(text)) {
		t.Fatalf("AppendQuote(%q) = %s", text, rawjson.AppendQuote(nil, text))
	}
	number := valid && strings.IndexByte("-0123456789", text[0]) >= 0
	if _, _, _, ok := rawjson.Decimal(text); ok != number {
		t.Fatalf("Decimal(%q): %v", text, ok)
	}
	n, isInt := rawjson.Int(text)
	if !number {
		if _, isFloat := rawjson.Float(text); isInt || isFloat {
			t.Fatalf("%q is the number %v", text, n)
		}
		return
	}
	if want, sure := integer(json.RawMessage(text)); sure && (isInt != (want != nil && want.IsInt64()) || isInt && n != want.Int64()) {
		t.Fatalf("Int(%s) = %d, %v", text, n, isInt)
	}
	var oracle float64
	err := json.Unmarshal([]byte(text), &oracle)
	x, isFloat := rawjson.Float(text)
	if isFloat != (err == nil) || isFloat && x != oracle {
		t.Fatalf("Float(%s) = %v, %v", text, x, isFloat)
	}
	if y, ok := rawjson.Float(string(rawjson.AppendFloat(nil, x))); !ok || x != y {
		t.Fatalf("AppendFloat(%v) = %s", x, rawjson.AppendFloat(nil, x))
	}
}
