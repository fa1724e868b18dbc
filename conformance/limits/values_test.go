package limits_test

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/sansmcp/mcp/conformance/limits"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/protocol/uritemplate"
)

// decode decodes a body of the type of v and encodes it again.
func decode(v any) func(jsonrpc.Raw) {
	typ := reflect.TypeOf(v)
	return func(raw jsonrpc.Raw) {
		body := reflect.New(typ).Interface().(interface {
			DecodeJSON(jsonrpc.Raw, jsonrpc.Span) error
			AppendJSON([]byte) []byte
		})
		if body.DecodeJSON(raw, jsonrpc.Span{}) == nil {
			sink = len(body.AppendJSON(nil))
		}
	}
}

// typeEntries are those of the types of package protocol.
func typeEntries() (list []entry) {
	body := func(decode func(jsonrpc.Raw)) func(string) func() {
		return func(text string) func() { return func() { decode(jsonrpc.Raw(text)) } }
	}
	for _, row := range protocol.Revision20251125.Rows() {
		params, result := row.Types()
		list = append(list, filled("params of "+row.Method, paramsOf[row.Method], 0, body(decode(params)))...)
		if row.Notification {
			continue
		}
		of := decode(result)
		list = append(list, filled("result of "+row.Method, resultsOf[row.Method], 0, body(of))...)
		most := float64(limits.PerValue)
		if row.Method == "elicitation/create" || row.Method == "initialize" {
			most = limits.PerName
		}
		for i, text := range listsOf[row.Method] {
			list = append(list, entry{name: fmt.Sprintf("result of %s, list %d", row.Method, i), most: most, of: func(n int) func() { return body(of)(text(n)) }})
		}
	}
	for _, sh := range shapes {
		list = append(list, entry{name: "Meta, " + sh.name, of: func(n int) func() {
			m := protocol.Meta(`{"a":` + sh.of(n) + `,"progressToken":1}`)
			return func() { m.ProgressToken(); sink = m.With("b", "1") }
		}})
	}
	// As many values to choose from as possible, as a default and as an answer.
	for member, of := range map[string]string{"enum": `"%d"`, "anyOf": `{"const":"%d","title":""}`} {
		list = append(list, entry{name: "Terms, a default of many of " + member, of: func(n int) func() {
			row := protocol.Revision20251125.Row(protocol.MethodElicitationCreate)
			values := many(`[`, `"%d"`, `]`)(n / 2)
			field := `{"type":"array","items":{"type":"string","` + member + `":` + many(`[`, of, `]`)(len(of)*n/8) + `},"default":` + values + `}`
			body := jsonrpc.Raw(`{"message":"","requestedSchema":{"type":"object","properties":{"a":` + field + `}}}`)
			answer := jsonrpc.Raw(`{"action":"accept","content":{"a":` + values + `}}`)
			return func() {
				t := row.Terms(protocol.Asked{Params: body, Received: true})
				sink = row.Accept(protocol.Reply{Body: answer, Subject: t.Subject})
			}
		}})
	}
	for name, part := range map[string]string{"letters": "x", "slashes": "/", "triplets": "%41", "bad triplets": "%", "colons": ":", "wide": "ü", "dots": "../"} {
		list = append(list, entry{name: "ValidURI, " + name, of: func(n int) func() {
			uri := "file:///" + strings.Repeat(part, n/len(part))
			return func() { sink = protocol.ValidURI(uri) != protocol.ValidRootURI(uri) }
		}})
	}
	return list
}

// within makes the schema of a member of an object, because tools need object schemas.
func within(raw string) jsonrpc.Raw {
	return jsonrpc.Raw(`{"type":"object","properties":{"v":` + raw + "}}")
}

// schemaEntries are those of package schema: a schema of a size against a value, and a
// value of a size against a schema. The package documents their combined cost.
func schemaEntries() (list []entry) {
	for _, member := range []string{"properties", "enum", "const", "required", "anyOf", "allOf", "oneOf", "prefixItems", "items", "$defs", "$ref", "minimum", "multipleOf", "pattern"} {
		for _, sh := range shapes {
			list = append(list, entry{one: true, name: "Compile, " + member + ", " + sh.name, of: func(n int) func() {
				raw := within(fmt.Sprintf(`{%q:%s}`, member, sh.of(n)))
				return func() {
					s, err := schema.Compile(raw)
					if err == nil {
						err = s.Validate(`{"v":{"a":"b","c":[1,2,3]}}`)
					}
					if err != nil {
						sink = err.Error()
					}
				}
			}})
		}
	}
	for _, raw := range []string{
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a","k1","b"]}`, `{"additionalProperties":{"type":"number"},"minProperties":2}`,
		`{"items":{"type":"string","minLength":3}}`, `{"uniqueItems":true}`, `{"enum":["x",1,{"a":[1]}]}`, `{"const":[[1]]}`, `{"multipleOf":0.1,"maximum":1e300}`,
		`{"items":{"anyOf":[{"type":"string"},{"type":"number"},true]}}`, `{"items":{"$ref":"#"}}`, `{"additionalProperties":{"$ref":"#"},"items":{"$ref":"#"}}`,
		`{"minLength":3,"maxLength":10}`, `{"not":{"required":["zz"]}}`, `{"if":{"type":"array"},"then":{"items":{"oneOf":[{"type":"null"},{"const":0}]}}}`,
	} {
		s, err := schema.Compile(within(raw))
		if err != nil {
			panic(err)
		}
		for _, sh := range shapes {
			list = append(list, entry{one: true, name: "Validate, " + raw + ", " + sh.name, of: func(n int) func() {
				value := jsonrpc.Raw(`{"v":` + sh.of(n) + "}")
				return func() {
					if err := s.Validate(value); err != nil {
						sink = err.Error()
					}
				}
			}})
		}
	}
	// A schema and a value of growing size.
	for name, of := range map[string]func(n int) (schema, value string){
		"a long name that many objects are asked for": func(n int) (string, string) {
			return `{"$defs":{"a":{"required":["` + strings.Repeat("n", n/2) + `"]}},"items":{"anyOf":[` + strings.Repeat(`{"$ref":"#/properties/v/$defs/a"},`, 20) + `true]}}`,
				many("[", `{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9}`, "]")(n / 2)
		},
		"many names that many objects are asked for": func(n int) (string, string) {
			return `{"items":{"anyOf":[{"required":` + many("[", `"n%d"`, "]")(n/2) + `},true]}}`, many("[", `{"n0":1}`, "]")(n / 2)
		},
		"a long text that many are compared with": func(n int) (string, string) {
			return `{"items":{"anyOf":[{"enum":["` + strings.Repeat("\\u0061", n/12) + `"]},true]}}`, many("[", `"\u0061"`, "]")(n / 2)
		},
		"one alternative in another": func(n int) (string, string) {
			return `{"$defs":{"a":{"anyOf":[{"items":{"$ref":"#/properties/v/$defs/a"}},{"items":{"$ref":"#/properties/v/$defs/a"}}]}},"$ref":"#/properties/v/$defs/a","x":"` + strings.Repeat("x", n/2) + `"}`,
				deep("[", "1", "]")(n / 2)
		},
	} {
		list = append(list, entry{name: "Validate, " + name, of: func(n int) func() {
			raw, text := of(n)
			s, err := schema.Compile(within(raw))
			if err != nil {
				panic(err)
			}
			value := jsonrpc.Raw(`{"v":` + text + "}")
			return func() {
				if err := s.Validate(value); err != nil {
					sink = err.Error()
				}
			}
		}})
	}
	return list
}

// templateEntries are those of package uritemplate: a template of a size, a uri of a
// size, values of a size.
func templateEntries() (list []entry) {
	add := func(name string, of func(n int) func()) { list = append(list, entry{name: name, of: of, one: true}) }
	for name, part := range map[string]string{
		"literals": "x", "triplets": "%41", "expressions": "{a}", "lists": "{a,b,c}/", "paths": "{/a*}", "queries": "{?a}{&b}", "braces": "{", "closed": "}", "operators": "{+a}{#b}{.c}{;d}",
		"prefixes": "{a:3}", "names": "{aaaa.bbbb%41}",
	} {
		add("Parse, "+name, func(n int) func() {
			text := strings.Repeat(part, n/len(part))
			return func() { _, err := uritemplate.Parse(text); sink = err }
		})
		add("Parse, one expression of many, "+name, func(n int) func() {
			text := "{" + strings.Repeat("a,", n/2) + "a}" + part
			return func() { _, err := uritemplate.Parse(text); sink = err }
		})
	}
	for _, template := range []string{
		"{a}", "{+a}", "a:{b}/{c}/{d}", "a:{+b}/{+c}/{+d}", "a:{/b*}", "a:{b}{?c,d}", "a:{?b*}", "a:{;b*}", "a:{b,c,d}", "a:{.b*}{#c}", "a:{b:3}{c}", "{+a}{+b}{+c}{+d}{+e}", "a:b", "{a*}",
	} {
		parsed, err := uritemplate.Parse(template)
		if err != nil {
			panic(err)
		}
		set := uritemplate.NewSet(parsed)
		for name, part := range map[string]string{
			"letters": "x", "slashes": "/", "triplets": "%41", "bad triplets": "%", "commas": ",", "dots": ".a", "semicolons": ";b=1", "parameters": "&b=1", "questions": "?c", "wide": "ü", "mixed": "a/b.c,d;e?f&g=h#i",
		} {
			add("Match, "+template+", "+name, func(n int) func() {
				uri := "a:" + strings.Repeat(part, n/8/len(part)) // a match may cost some bytes for each
				return func() { v, ok := parsed.Match(uri); set.Find(uri); sink = []any{v, ok} }
			})
		}
		for name, part := range map[string]string{"letters": "x", "reserved": "/", "wide": "ü", "not UTF-8": "\xff", "percent": "%"} {
			add("Expand, "+template+", "+name, func(n int) func() {
				var v uritemplate.Values
				for _, key := range []string{"a", "b", "c", "d", "e"} {
					v = append(v, uritemplate.Binding{Name: key, Value: uritemplate.Text(strings.Repeat(part, n/5/len(part)))})
				}
				return func() { sink, _ = parsed.Expand(v) }
			})
		}
	}
	return list
}
