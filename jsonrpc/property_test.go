package jsonrpc_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

func ids() *rapid.Generator[jsonrpc.ID] {
	return rapid.Custom(func(t *rapid.T) jsonrpc.ID {
		switch rapid.IntRange(0, 2).Draw(t, "type") {
		case 0:
			return jsonrpc.Int(rapid.Int64().Draw(t, "n"))
		case 1:
			return jsonrpc.String(rapid.String().Draw(t, "s"))
		}
		id, _, _ := jsonrpc.ParseID(rapid.StringMatching(`-?[1-9][0-9]{19,30}(e[1-9][0-9]?)?`).Draw(t, "big"))
		return id
	})
}

func objects() *rapid.Generator[jsonrpc.Raw] {
	return rapid.Map(rapid.MapOfN(rapid.String(), rapid.OneOf(
		rapid.Map(rapid.String(), func(s string) any { return s }),
		rapid.Map(rapid.Int(), func(n int) any { return n }),
		rapid.Just[any](nil),
		rapid.Just[any]([]any{map[string]any{}, true}),
	), 0, 4), func(m map[string]any) jsonrpc.Raw {
		b, err := json.MarshalIndent(m, "", " ")
		if err != nil {
			panic(err)
		}
		return jsonrpc.Raw(b)
	})
}

// messages draws valid messages of every kind but batch.
func messages() *rapid.Generator[jsonrpc.Message] {
	return rapid.Custom(func(t *rapid.T) jsonrpc.Message {
		m := jsonrpc.Message{Kind: rapid.SampledFrom([]jsonrpc.Kind{
			jsonrpc.KindRequest, jsonrpc.KindNotification, jsonrpc.KindResult, jsonrpc.KindError,
		}).Draw(t, "kind")}
		if m.Kind != jsonrpc.KindNotification {
			m.ID = ids().Draw(t, "id")
		}
		switch m.Kind {
		case jsonrpc.KindRequest, jsonrpc.KindNotification:
			m.Method = rapid.String().Draw(t, "method")
			if rapid.Bool().Draw(t, "params") {
				m.Body = objects().Draw(t, "body")
			}
		case jsonrpc.KindResult:
			m.Body = objects().Draw(t, "body")
		case jsonrpc.KindError:
			m.Err = &jsonrpc.Error{Code: rapid.Int64().Draw(t, "code"), Message: rapid.String().Draw(t, "message")}
			if rapid.Bool().Draw(t, "data") {
				m.Err.Data = objects().Draw(t, "data")
			}
		}
		return m
	})
}

// oneLine is what Append does to the line breaks between the tokens of a Raw.
var oneLine = strings.NewReplacer("\n", " ", "\r", " ")

func TestDecodeReadsWhatAppendWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := messages().Draw(t, "m")
		text := jsonrpc.Append(nil, m)
		if !json.Valid(text) || !rawjson.Valid(string(text)) {
			t.Fatalf("%s is written as %s", show(m), text)
		}
		got := jsonrpc.Decode(text)
		if show(got) != oneLine.Replace(show(m)) || got.Spelling() != "" {
			t.Fatalf("%s is written as %s and read as %s", show(m), text, show(got))
		}
		if end := int(got.Span.End); end > len(got.Body) || got.Span.Start > got.Span.End ||
			end > 0 && !rawjson.Valid(string(got.Body[got.Span.Start:end])) {
			t.Fatalf("the span %v of %s is no value", got.Span, got.Body)
		}
		if again := jsonrpc.Append(nil, got); string(again) != string(text) {
			t.Fatalf("%s, then %s", text, again)
		}
	})
}

func TestLinesOfMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(messages(), 1, 5).Draw(t, "all")
		if rapid.Bool().Draw(t, "batch") {
			all = append(all, jsonrpc.BatchOf(all...))
		}
		var stream []byte
		for i, m := range all {
			stream = jsonrpc.AppendLine(stream, m)
			if n := strings.Count(string(stream), "\n"); n != i+1 || stream[len(stream)-1] != '\n' || strings.Contains(string(stream), "\r") {
				t.Fatalf("%d messages, %d line breaks: %q", i+1, n, stream)
			}
		}
		var f jsonrpc.Framer
		f.Push(stream)
		oneLine := strings.NewReplacer("\n", " ", "\r", " ")
		for _, want := range all {
			got, ok := f.Next()
			if a, b := show(got), show(want); !ok || oneLine.Replace(a) != oneLine.Replace(b) {
				t.Fatalf("%s came back as %s", b, a)
			}
		}
		if m, ok := f.Close(); ok {
			t.Fatalf("and then came %s", show(m))
		}
	})
}

// Objects made of envelope members in all combinations: what comes out keeps
// what the documentation of Message says, and valid JSON is told from the rest.
func TestDecodeIsTotal(t *testing.T) {
	names := rapid.SampledFrom([]string{`"jsonrpc"`, `"jsonrpc"`, `"id"`, `"method"`, `"params"`, `"result"`, `"error"`, `"\u0069d"`, `"x"`, `"ID"`, `x`})
	values := rapid.SampledFrom([]string{
		`"2.0"`, `"2.0"`, `"2.0"`, `"1.0"`, `1`, `1e0`, `1.5`, `"a"`, `""`, `null`, `true`, `{}`, `[]`, `{"code":1,"message":"x"}`, `{"code":1}`, `"\ud800"`, `01`, "\"\xff\"",
	})
	rapid.Check(t, func(t *rapid.T) {
		var members []string
		for range rapid.IntRange(0, 6).Draw(t, "n") {
			members = append(members, names.Draw(t, "name")+":"+values.Draw(t, "value"))
		}
		text := "{" + strings.Join(members, ",") + "}" + rapid.SampledFrom([]string{"", "", "", "", " ", "x"}).Draw(t, "tail")
		checkMessage(t, text, jsonrpc.DecodeString(text))
	})
}

type failer interface{ Fatalf(string, ...any) }

// checkMessage holds m, decoded from text, against what is promised of it.
func checkMessage(t failer, text string, m jsonrpc.Message) {
	readable := rawjson.Valid(text)
	switch m.Fault {
	case jsonrpc.FaultSyntax, jsonrpc.FaultUTF8, jsonrpc.FaultTrailing, jsonrpc.FaultDepth:
		if readable || m.Body != "" || m.Err != nil || !m.ID.IsZero() && m.Shape != jsonrpc.KindRequest && m.Shape != jsonrpc.KindResult {
			t.Fatalf("%q: %s", text, show(m))
		}
	default:
		if !readable {
			t.Fatalf("%q: %s", text, show(m))
		}
	}
	if (m.Kind == jsonrpc.KindInvalid) != (m.Fault != 0) || m.Kind != jsonrpc.KindInvalid && m.Shape != jsonrpc.KindInvalid {
		t.Fatalf("%q: %s", text, show(m))
	}
	hasID := !m.ID.IsZero()
	bad := false
	switch m.Kind {
	case jsonrpc.KindRequest:
		bad = !hasID || m.Err != nil
	case jsonrpc.KindNotification:
		bad = hasID || m.Err != nil
	case jsonrpc.KindResult:
		bad = !hasID || m.Method != "" || m.Err != nil || m.Body == "" || m.Body[0] != '{'
	case jsonrpc.KindError:
		bad = m.Method != "" || m.Err == nil || m.Body != ""
	case jsonrpc.KindInvalid:
		bad = len(jsonrpc.Append(nil, m)) > 0 || m.Shape == jsonrpc.KindNotification && hasID
	}
	if bad || m.ID == jsonrpc.Null {
		t.Fatalf("%q: %s", text, show(m))
	}
	if m.Kind != jsonrpc.KindInvalid && m.Kind != jsonrpc.KindBatch {
		if again := jsonrpc.Decode(jsonrpc.Append(nil, m)); show(again) != oneLine.Replace(show(m)) {
			t.Fatalf("%q: %s, then %s", text, show(m), show(again))
		}
	}
}
