package jsonrpc_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc"
)

// What is certain of a text with a fault, by fault, shape and the place of the id.
func TestSalvage(t *testing.T) {
	const v = `"jsonrpc":"2.0",`
	deep := strings.Repeat("[", 600) + strings.Repeat("]", 600)
	// A value that has the fault, and decoys of everything that decides.
	decoy := `{"id":9,"method":"no","error":{"id":9},"x":[{"id":9}],"y":`
	inside := map[jsonrpc.Fault]string{
		jsonrpc.FaultUTF8:   decoy + "\"a\xffb\"}",
		jsonrpc.FaultDepth:  decoy + deep + `}`,
		jsonrpc.FaultSyntax: decoy + `NaN}`,
		jsonrpc.FaultSize:   decoy + `"` + strings.Repeat("x", 5000) + `"}`,
	}
	for _, c := range []struct {
		text         string // BODY has the fault
		whole, start string // shape and id where the text can be read on after it, and where not
	}{
		// The id stands before.
		{`{` + v + `"id":2,"result":BODY}`, "result 2", "result 2"},
		{`{` + v + `"id":2,"error":BODY}`, "result 2", "result 2"},
		{`{` + v + `"id":2,"error":{"code":1,"message":"m","data":BODY}}`, "result 2", "result 2"},
		{`{` + v + `"error":{"code":1,"message":"m","data":BODY},"id":null}`, "result absent", "result absent"},
		{`{"id":"a","result":BODY}`, `result "a"`, `result "a"`},
		{`{` + v + `"id":7,"method":"m","params":BODY}`, "request 7 m", "request 7 m"},
		{`{"method":"m","id":7,"params":BODY}`, "request 7 m", "request 7 m"},
		{` {` + "\t" + v + `"\u0069d" : 2.0 ,"result" :BODY}`, "result 2 2.0", "result 2 2.0"},
		{`{` + v + `"id":7,"method":"m","result":BODY}`, "request 7 m", "request 7 m"},
		// It comes after.
		{`{` + v + `"result":BODY,"id":2}`, "result 2", "result absent"},
		{`{` + v + `"result":BODY,"id":2,"x":[]}`, "result 2", "result absent"},
		{`{` + v + `"error":BODY,"id":2}`, "result 2", "result absent"},
		{`{` + v + `"method":"m","params":BODY,"id":7}`, "request 7 m", "invalid absent"},
		{`{` + v + `"params":BODY,"method":"m","id":7}`, "request 7 m", "invalid absent"},
		// What it is comes after.
		{`{` + v + `"id":2,"x":BODY,"result":{}}`, "result 2", "invalid absent"},
		{`{` + v + `"id":7,"x":BODY,"method":"m"}`, "request 7 m", "invalid absent"},
		{`{` + v + `"id":2,"x":BODY}`, "result 2", "invalid absent"},
		// There is none, or none that is certain.
		{`{` + v + `"method":"m","params":BODY}`, "notification absent m", "invalid absent"},
		{`{` + v + `"result":BODY}`, "result absent", "result absent"},
		{`{` + v + `"id":null,"error":BODY}`, "result absent", "result absent"},
		{`{` + v + `"id":null,"method":"m","params":BODY}`, "request absent m", "invalid absent"},
		{`{` + v + `"id":2,"id":2,"result":BODY}`, "result absent", "result absent"},
		{`{` + v + `"id":2,"\u0069d":3,"method":"m","params":BODY}`, "request absent m", "invalid absent"},
		{`{` + v + `"id":2,"result":BODY,"id":3}`, "result absent", "result 2"},
		{`{` + v + `"id":1.5,"result":BODY}`, "result absent", "result absent"},
		{`{` + v + `"ID":2,"result":BODY}`, "result absent", "result absent"},
		{`{` + v + `"id":BODY,"result":{}}`, "result absent", "invalid absent"},
		{`{` + v + `"id":2,"result":{},"id":BODY}`, "result absent", "result absent"},
		{`{` + v + `"x":BODY}`, "invalid absent", "invalid absent"},
		{`[{` + v + `"id":2,"result":BODY}]`, "invalid absent", "invalid absent"},
		{`"BODY"`, "invalid absent", "invalid absent"},
	} {
		for fault, body := range inside {
			want := c.whole
			if fault == jsonrpc.FaultSyntax || fault == jsonrpc.FaultSize {
				want = c.start
			}
			text := strings.Replace(c.text, "BODY", body, 1)
			if c.text == `"BODY"` {
				text = body[len(decoy) : len(body)-1]
			}
			d := jsonrpc.Decoder{}
			if fault == jsonrpc.FaultSize {
				d.MaxBytes = 4500
			}
			check := func(text string, m jsonrpc.Message) {
				got := strings.TrimRight(fmt.Sprintf("%v %v %s", m.Shape, m.ID, m.Method+string(m.Spelling())), " ")
				if m.Kind != jsonrpc.KindInvalid || m.Fault != fault || got != want || m.Body != "" || m.Err != nil {
					t.Errorf("%s\n got %v, %s %s\nwant %v, %s", text, m.Fault, got, m.Body, fault, want)
				}
			}
			check(text, d.DecodeString(text))
			check(text, d.Decode([]byte(text)))
			check(text, d.Decode([]byte("\ufeff"+text)))
			f := jsonrpc.Framer{Decoder: d}
			f.Push([]byte(note("a") + "\n\ufeff" + text + "\r\n"))
			f.Next()
			m, _ := f.Next()
			check(text, m)
		}
	}
}

// Where the fault lies between the members of the envelope, or in them.
func TestSalvageEnvelope(t *testing.T) {
	for text, want := range map[string]string{
		`{"result":{},"id":12`:                 "result absent", // of which there may be more
		`{"result":{},"id":12]`:                "result absent",
		`{"result":{},"id":12;`:                "result absent",
		`{"result":{},"id":"a`:                 "result absent",
		`{"result":{},"id":12,`:                "result 12",
		`{"result":{},"id":12 ,"x`:             "result 12",
		`{"id":12,"result":`:                   "result 12",
		`{"id":12,"result"`:                    "invalid absent",
		`{"id":12,"method":`:                   "request 12",
		`{"id":12,"method":"m`:                 "request 12",
		`{"id":12,"method":"m","id":`:          "invalid absent",
		`{"id":12,"result":{},"id"`:            "result 12",
		`{"id":12,"result":{},"id":`:           "result absent",
		`{"id":12,"result":{}}}`:               "result 12",
		`{"id":12,"result":{}} {"id":13}`:      "result 12",
		`{"id":12,"result":{}},`:               "result 12",
		`{"id":12,{"id":13,"result":{}}`:       "invalid absent",
		`{"id":12 "result":{}}`:                "invalid absent",
		`x{"id":12,"result":{}}`:               "invalid absent",
		"{\"id\":\"a\xff\",\"result\":{}}":     "result absent",
		"{\"id\":\"a\x7f\",\"result\":{}}x":    "result \"a\x7f\"",
		"{\"id\":1,\"method\":\"a\xff\"}":      "request 1",
		"{\"id\":1,\"method\":\"a\x7f\"}x":     "request 1 a\x7f",
		"{\"i\xffd\":1,\"result\":{}}":         "result absent",
		"{\"id\":1,\"result\xff\":{}}":         "invalid absent", // it may have been a method
		"{\"id\":1,\"met\xffhod\":\"m\"}":      "invalid absent",
		"{\"id\":1,\"x\xff\":1,\"result\":{}}": "result 1",
		`{"id":1},"method":"m"}`:               "invalid absent", // a brace too many
		`{"id":1},"result":{}}`:                "invalid absent",
		`{"id":1,"x":{"result":{}}} x`:         "invalid absent",
		"{\"id\":1,\"result\":\"\x95\\\"}":     "result 1", // 表 of Shift JIS ends in a backslash
		"{\"result\":\"\x95\\\",\"id\":1}":     "result absent",
		"{\"result\":\"\xff\",\"id\":1,\"x\":": "result 1",
		"{\"result\":\"\xe6\xbc\",\"id\":1}":   "result 1", // a character that was cut
	} {
		m := jsonrpc.DecodeString(text)
		got := strings.TrimRight(fmt.Sprintf("%v %s %s", m.Shape, m.ID, m.Method), " ")
		if m.Kind != jsonrpc.KindInvalid || strings.ReplaceAll(got, `\u007f`, "\x7f") != want {
			t.Errorf("%q\n got %s\nwant %s", text, got, want)
		}
	}
}

// Whatever happens to a text after its id, no other id is read than the one it
// had, and nothing that answers is taken for what asks.
func TestSalvageNeverGuesses(t *testing.T) {
	inner := []string{`{}`, `{"id":9,"result":{"id":8}}`, `[{"id":9},"\",\"id\":9,\""]`, `"},\"id\":9,\"method\":\"x\""`, `"é\\"`, `{"a":"\\\"","id":9,"method":"x"}`}
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.SampledFrom([]string{`1`, `"a"`, `1.0`, `"\u0061"`, `12345`}).Draw(t, "id")
		kind := rapid.SampledFrom([]string{`"result":`, `"error":`, `"method":"m","params":`}).Draw(t, "kind")
		value := rapid.SampledFrom(inner)
		members := rapid.Permutation([]string{`"jsonrpc":"2.0"`, `"id":` + id, kind + value.Draw(t, "body"), `"x":` + value.Draw(t, "x")}).Draw(t, "members")
		text := `{` + strings.Join(members, ",") + `}`
		whole := jsonrpc.DecodeString(text)
		at := rapid.IntRange(0, len(text)).Draw(t, "at")
		end := min(at+rapid.IntRange(0, 3).Draw(t, "cut"), len(text))
		junk := rapid.SampledFrom([]string{"", "\xff", "\x00", "{", "]", "}", `"`, `\`, "9", strings.Repeat("[", 600), text}).Draw(t, "junk")
		damaged := text[:at] + junk + text[end:]
		if rapid.Bool().Draw(t, "short") {
			damaged = text[:at] + junk
		}
		m := jsonrpc.DecodeString(damaged)
		checkMessage(t, damaged, m)
		if m.Kind != jsonrpc.KindInvalid || m.ID.IsZero() {
			return
		}
		// The damage must not be in the id or in what stands before the text's end for it.
		p := strings.Index(text, `"id":`+id)
		if at > p && at < p+len(`"id":`+id)+1 || at <= p && end > p || strings.ContainsAny(junk, `}]"\`) || junk == "9" || junk == text {
			return
		}
		if m.ID != whole.ID {
			t.Fatalf("%q: %v, of a text with %v", damaged, m.ID, whole.ID)
		}
		if answers := !strings.HasPrefix(kind, `"method"`); m.Fault <= jsonrpc.FaultTrailing && end == at && answers != (m.Shape == jsonrpc.KindResult) {
			t.Fatalf("%q: %v, of a text with %v", damaged, m.Shape, whole.Kind)
		}
	})
}

// What is looked at of a text that is too long does not grow with it.
func TestSalvageIsBounded(t *testing.T) {
	text := []byte(`{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 1000) + `","result":{"a":"` + strings.Repeat("x", 1<<20) + `"}}`)
	d := jsonrpc.Decoder{MaxBytes: 1 << 19}
	if m := d.Decode(text); m.Fault != jsonrpc.FaultSize || m.Shape != jsonrpc.KindResult || m.ID != jsonrpc.String(strings.Repeat("x", 1000)) {
		t.Error(show(m))
	}
	if got := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sinkMessage = d.Decode(text)
		}
	}).AllocedBytesPerOp(); got > 5000 {
		t.Errorf("%d bytes for the head of a text", got)
	}
}
