package provider_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema/provider"
)

// Hostile schemas are refused or written as JSON, in bounded time and memory.
func TestHostileSchemas(t *testing.T) {
	object := func(text string) protocol.Raw { return protocol.Raw(`{"type":"object",` + text + `}`) }
	wide := strings.TrimSuffix(strings.Repeat(`{"$ref":"#/$defs/a"},`, 60), ",")
	var defs, many strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&defs, `,"d%d":{"type":"object","properties":{"next":{"$ref":"#/$defs/d%d"},"other":{"$ref":"#/$defs/d%d"}}}`, i, (i+1)%2000, i*7%2000)
		fmt.Fprintf(&many, `"p%d":{"$ref":"#/$defs/d%d"},`, i, i)
	}
	keys, ladder := func(n int) string { return repeated(`"k%d":{"type":"null"}`, n) }, func(keyword string) string {
		var defs strings.Builder
		for i := range 30 {
			fmt.Fprintf(&defs, `,"l%d":{"%s":[%s]}`, i, keyword, strings.TrimSuffix(strings.Repeat(fmt.Sprintf(`{"$ref":"#/$defs/l%d"},`, i+1), 5), ","))
		}
		return `{"$ref":"#/$defs/l0","$defs":{"l30":{"type":"object"}` + defs.String() + `}}`
	}
	for name, input := range map[string]protocol.Raw{
		// Inputs for algorithms of quadratic or exponential cost.
		"wide":     object(`"properties":{` + keys(8000) + `},"required":[` + repeated(`"k%d"`, 8000) + `]`),
		"merged":   object(`"allOf":[{"properties":{` + keys(8000) + `}},{"properties":{` + keys(8000) + `}}]`),
		"unknowns": object(`"allOf":[{` + keys(8000) + `},{` + keys(8000) + `}]`),
		"anyOf":    protocol.Raw(ladder("anyOf")), "allOf": protocol.Raw(ladder("allOf")), "oneOf": protocol.Raw(ladder("oneOf")),
		"large":     object(`"properties":{` + repeated(`"p%d":{"$ref":"#/$defs/a","minLength":1}`, 9000) + `},"$defs":{"a":{"type":"string","x":"` + strings.Repeat("x", 1<<20) + `"}}`),
		"deep":      object(`"properties":` + strings.Repeat(`{"a":{"type":"object","properties":`, 160) + `{}` + strings.Repeat(`}}`, 160)),
		"branches":  object(`"properties":{"a":{"anyOf":[` + wide + `]}},"$defs":{"a":{"anyOf":[` + strings.ReplaceAll(wide, "/a", "/b") + `]},"b":{"anyOf":[` + strings.ReplaceAll(wide, "/a", "/c") + `]},"c":{"type":"string","description":"` + strings.Repeat("x", 1000) + `"}}`),
		"cycles":    object(`"properties":{` + strings.TrimSuffix(many.String(), ",") + `},"$defs":{"z":{}` + defs.String() + `}`),
		"itself":    `{"$ref":"#"}`,
		"root":      object(`"properties":{"a":{"$ref":"#"},"b":{"type":"array","items":{"$ref":"#/properties/b/items"}},"c":{"type":"string","enum":["x"]}},"$defs":{"a":{"not":[]}}`),
		"over":      object(`"properties":{"a":{"$ref":"#/$defs/a","title":"t"},"b":{"allOf":[{"$ref":"#/$defs/a"}],"type":"string"},"c":{"allOf":[3]}},"$defs":{"a":{"type":"string","title":"u"}}`),
		"two":       object(`"properties":{"a":{"$ref":"#/properties/b"},"b":{"$ref":"#/properties/a"}}`),
		"nowhere":   object(`"properties":{"a":{"$ref":"#/x"},"b":{"$ref":"http://x"},"c":{"$ref":3},"d":{"$ref":"#/anyOf/0"},"e":{"$ref":"#/properties/a/%"}},"anyOf":[{}]`),
		"no types":  object(`"properties":{"a":{"type":3},"b":{"type":["x",1]},"c":{"type":[]},"d":3,"e":null,"f":"x","g":[],"h":false}`),
		"no shapes": object(`"required":3,"properties":[],"items":[{}],"anyOf":{},"oneOf":3,"allOf":[],"enum":{},"$defs":[],"definitions":1,"format":1,"title":3,"minItems":"x","additionalProperties":3`),
		"nested":    object(`"properties":{"a":{"required":["x"],"properties":[],"items":[{}],"anyOf":{},"oneOf":3,"allOf":[],"enum":{},"const":{},"$defs":[],"definitions":1,"format":1,"title":3,"minItems":"x","additionalProperties":3}}`),
		"names":     object(`"properties":{"\ud800":{},"\ufffd":{},"":{},"a/b~c":{"not":{}},"a":{"type":"string"},"a":{"type":"integer"}},"required":["\ud800",1,"none"]`),
		"unknown":   object(`"properties":{"a":{` + strings.TrimSuffix(strings.Repeat(`"`+strings.Repeat("k", 100)+`":1,`, 1), ",") + `}}`),
		"enum":      object(`"properties":{"a":{"enum":[null,"x"]},"b":{"enum":[null]},"c":{"enum":[{}]},"d":{"const":null},"e":{"const":1},"f":{"type":"string","enum":["x"],"const":"x"},"g":{"anyOf":[{"type":"null"}]},"h":{"type":["string","integer"],"anyOf":[{"minimum":1}]},"i":{"type":["string"],"enum":["x",null]},"j":{"items":{}},"k":{"properties":{}},"l":{"enum":[]},"m":{"oneOf":[{}],"anyOf":[{}]}}`),
	} {
		for _, p := range providers {
			for _, strict := range []bool{false, true} {
				x, err := provider.Export(p, []protocol.Tool{{Name: name, InputSchema: input}}, provider.Options{Strict: strict})
				if err != nil || rawjson.Check(string(x.Tools), 2000) != rawjson.OK || len(x.Tools) > 4<<20 || len(x.Lost) > 1001 {
					t.Errorf("%s for %s: %v", name, p, err)
					continue
				}
				for _, l := range x.Lost {
					if len(l.Keyword) > 64+len("…") {
						t.Errorf("%s: a keyword of %d bytes", name, len(l.Keyword))
					}
				}
			}
		}
	}
	for _, input := range []protocol.Raw{"3", "[]", "true", "null", "{", " ", protocol.Raw(strings.Repeat("[", 1000))} {
		_, err := provider.Export(provider.Anthropic, []protocol.Tool{{Name: strings.Repeat("n", 1000), InputSchema: input}}, provider.Options{})
		if !errors.As(err, new(*provider.SchemaError)) || len(err.Error()) > 200 {
			t.Errorf("%.20s: %v", input, err)
		}
	}
	for _, p := range providers {
		x, err := provider.Export(p, nil, provider.Options{})
		if err != nil || x.Tools != "[]" || len(x.Lost) != 0 {
			t.Errorf("%s of nothing: %v", p, err)
		}
		if x, err = provider.Export(p, []protocol.Tool{{Name: "t"}}, provider.Options{Strict: true}); err != nil || !rawjson.Valid(string(x.Tools)) {
			t.Errorf("%s: %v", p, err)
		}
	}
}

// Many definitions in a large schema are all found, and each reference is followed once.
func TestManyDefinitions(t *testing.T) {
	var properties, defs strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&properties, `"p%d":{"$ref":"#/$defs/d~1%d"},`, i, i)
		fmt.Fprintf(&defs, `"d/%d":{"type":"string","description":"%s"},`, i, strings.Repeat("x", 100))
	}
	input := protocol.Raw(`{"type":"object","properties":{` + properties.String() + `"z":{"$ref":"#/properties/p1"}},"$defs":{` + defs.String() + `"y":{"type":"null"}}}`)
	for _, p := range providers[:4] {
		x, err := provider.Export(p, []protocol.Tool{{Name: "t", InputSchema: input}}, provider.Options{})
		if err != nil || len(x.Lost) != 0 || strings.Count(string(x.Tools), `"$ref"`) != 3001 {
			t.Errorf("%s: %v", p, err)
		}
	}
}

// References that would read a large schema over and over are lost at some point, and
// arguments keep their nulls.
func TestReferencesAreBounded(t *testing.T) {
	var properties strings.Builder
	for i := range 200 {
		fmt.Fprintf(&properties, `"p%d":{"$ref":"#/properties/q%d/properties/n"},"q%d":{"type":"object","properties":{"n":{"type":"object","properties":{"n":{"$ref":"#/properties/p%d"},"s":{"type":"string"}}}}},`, i, i, i, i)
	}
	input := protocol.Raw(`{"type":"object","description":"` + strings.Repeat("x", 2<<20) + `","properties":{` + properties.String() + `"z":{}}}`)
	for _, p := range providers {
		x, err := provider.Export(p, []protocol.Tool{{Name: "t", InputSchema: input}}, provider.Options{Strict: true})
		if err != nil || !slices.ContainsFunc(x.Lost, func(l provider.Loss) bool { return l.Keyword == "$ref" }) {
			t.Errorf("%s: %v", p, err)
			continue
		}
		if p != provider.OpenAIChat {
			continue
		}
		args := `{"p0":` + strings.Repeat(`{"n":`, 99) + `{"s":null}` + strings.Repeat(`}`, 99) + `,"z":null}`
		c, err := x.Call(protocol.Raw(`{"id":"c","function":{"name":"t","arguments":` + args + `}}`))
		if err != nil || string(c.Params.Arguments) != args {
			t.Errorf("%s, %v", c.Params.Arguments, err)
		}
	}
}
