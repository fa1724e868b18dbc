package limits_test

import (
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
)

// sink keeps the results of entries, so that the compiler does not remove them.
var sink any

// wireEntries are those of package jsonrpc.
func wireEntries() (list []entry) {
	decode := func(text string) func() {
		data := []byte(text)
		return func() { sink = jsonrpc.Decode(data).Kind }
	}
	list = filled("Decode", []string{
		`$`, `[$,$]`, `{"jsonrpc":"2.0","id":$,"method":"a"}`, `{"jsonrpc":"2.0","id":1,"method":$}`, `{"jsonrpc":$,"id":1,"method":"a"}`,
		`{"jsonrpc":"2.0","id":1,"method":"a","params":$}`, `{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":$,"y":1}}`,
		`{"jsonrpc":"2.0","method":"a","params":{"x":$}}`, `{"jsonrpc":"2.0","id":1,"result":{"x":$}}`, `{"jsonrpc":"2.0","id":$,"result":{}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":$,"message":"m"}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":$}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":$}}`, `{"jsonrpc":"2.0","id":1,"method":"a","x":$}`,
		`[{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":$}}]`,
		`{"jsonrpc":"2.0","id":1,"method":"a","params":$`, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":{\"x\":$,\"y\":\"\xff\"}}",
		`{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":$}} {}`,
	}, 6, decode)
	for name, of := range map[string]func(int) string{
		"members of the envelope":       many(`{"jsonrpc":"2.0","id":1,"method":"a",`, `"x%d":0`, "}"),
		"ids":                           many(`{"jsonrpc":"2.0","method":"a",`, `"id":1`, "}"),
		"methods with escapes":          many(`{"jsonrpc":"2.0","id":1,`, `"method":"\u0061"`, "}"),
		"params":                        many(`{"jsonrpc":"2.0","id":1,"method":"a",`, `"params":{"a":1,"b":[]}`, "}"),
		"nested beyond the limit":       func(n int) string { return strings.Repeat("[", n) },
		"params nested beyond it":       func(n int) string { return `{"id":1,"method":"a","params":` + strings.Repeat("[", n) },
		"no JSON":                       func(n int) string { return strings.Repeat("x", n) },
		"unfinished string":             func(n int) string { return `"` + strings.Repeat(`\"`, n/2) },
		"batch of invalid elements":     many("[", "0", "]"),
		"batch of ids with escapes":     many("[", `{"jsonrpc":"2.0","id":"\u0061","method":"\u0061"}`, "]"),
		"batch of errors":               many("[", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"\u0061"}}`, "]"),
		"integer with an exponent":      func(n int) string { return `{"jsonrpc":"2.0","id":1` + strings.Repeat("0", n) + `e1000,"method":"a"}` },
		"integer with a fraction":       func(n int) string { return `{"jsonrpc":"2.0","id":1.` + strings.Repeat("0", n) + `,"method":"a"}` },
		"exponent of many digits":       func(n int) string { return `{"jsonrpc":"2.0","id":1e` + strings.Repeat("0", n) + `1,"method":"a"}` },
		"byte order marks":              func(n int) string { return strings.Repeat("\ufeff", n/3) },
		"quotes before an invalid byte": func(n int) string { return strings.Repeat(`"",`, n/3) + "\xff" },
	} {
		list = append(list, entry{name: "Decode, " + name, of: func(n int) func() { return decode(of(n)) }})
	}
	for name, stream := range map[string]func(int) string{
		"one line":      func(n int) string { return strings.Repeat("x", n) + "\n" },
		"blank lines":   func(n int) string { return strings.Repeat("\n", n) },
		"returns":       func(n int) string { return strings.Repeat("\r", n) + "\n" },
		"short lines":   func(n int) string { return strings.Repeat("{}\n", n/3) },
		"long and none": func(n int) string { return strings.Repeat("x", n) },
		"marks":         func(n int) string { return strings.Repeat("\ufeff\n", n/4) },
	} {
		for _, size := range []int{1, 7, 4096} {
			list = append(list, entry{name: "Framer, " + name + ", chunks", of: func(n int) func() {
				text := []byte(stream(n))
				return func() {
					var f jsonrpc.Framer
					for i := 0; i < len(text); i += size {
						f.Push(text[i:min(i+size, len(text))])
						lines(&f)
					}
					f.Close()
				}
			}})
		}
		list = append(list, entry{name: "Framer, " + name + ", oversize, at once", of: func(n int) func() {
			text := []byte(stream(n))
			return func() {
				f := jsonrpc.Framer{Decoder: jsonrpc.Decoder{MaxBytes: 100}}
				f.Push(text)
				for {
					if _, ok := f.Next(); !ok {
						break
					}
				}
			}
		}})
	}
	for name, part := range map[string]string{"text": "x", "escapes": "\n", "controls": "\x01", "not UTF-8": "\xff", "wide": "ü"} {
		for kind, message := range map[string]func(s string) jsonrpc.Message{
			"method": func(s string) jsonrpc.Message { return jsonrpc.Message{Kind: jsonrpc.KindNotification, Method: s} },
			"id": func(s string) jsonrpc.Message {
				return jsonrpc.Message{Kind: jsonrpc.KindResult, ID: jsonrpc.String(s)}
			},
			"error": func(s string) jsonrpc.Message {
				return jsonrpc.Message{Kind: jsonrpc.KindError, ID: jsonrpc.Int(1), Err: &jsonrpc.Error{Code: 1, Message: s}}
			},
			"body": func(s string) jsonrpc.Message {
				return jsonrpc.Message{Kind: jsonrpc.KindResult, ID: jsonrpc.Int(1), Body: jsonrpc.Raw(s)}
			},
		} {
			list = append(list, entry{name: "AppendLine, " + kind + ", " + name, of: func(n int) func() {
				m := message(strings.Repeat(part, n/len(part)))
				return func() { sink = len(jsonrpc.AppendLine(nil, m)) }
			}})
		}
	}
	list = append(list, entry{name: "Append, a batch", most: 12, of: func(n int) func() {
		all := make([]jsonrpc.Message, n/64)
		for i := range all {
			all[i] = jsonrpc.Message{Kind: jsonrpc.KindRequest, ID: jsonrpc.Int(int64(i)), Method: "tools/call", Body: `{"name":"a"}`}
		}
		m := jsonrpc.BatchOf(all...)
		return func() { sink = len(jsonrpc.Append(nil, m)) }
	}})
	for _, s := range shapes {
		list = append(list, entry{one: true, name: "ParseID, " + s.name, of: func(n int) func() {
			text := s.of(n)
			return func() { id, _, _ := jsonrpc.ParseID(text); sink = id.Clone().String() == text }
		}}, entry{one: true, name: "ParseRaw, " + s.name, of: func(n int) func() {
			text := []byte(s.of(n))
			return func() { sink, _ = jsonrpc.ParseRaw(text) }
		}})
	}
	return list
}

// lines fetches all complete lines.
func lines(f *jsonrpc.Framer) {
	for {
		if _, ok := f.NextLine(); !ok {
			return
		}
	}
}
