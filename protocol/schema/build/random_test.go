package build_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/protocol/schema/build"
)

// model is a schema with values that satisfy it, and a verdict of its own.
type model struct {
	s      build.Schema
	good   func(t *rapid.T) jsonrpc.Raw // draws a value that satisfies it
	strict bool                         // it has a strict form
}

func fixed(s build.Schema, values ...jsonrpc.Raw) model {
	return model{s, func(t *rapid.T) jsonrpc.Raw { return rapid.SampledFrom(values).Draw(t, "value") }, true}
}

// models draws a schema without contradictions.
func models(t *rapid.T, depth int) model {
	n := 10
	if depth == 0 {
		n = 5
	}
	switch rapid.IntRange(0, n).Draw(t, "kind") {
	case 0:
		least := rapid.IntRange(0, 3).Draw(t, "least")
		most := least + rapid.IntRange(0, 3).Draw(t, "more")
		return model{build.String().MinLength(least).MaxLength(most), func(t *rapid.T) jsonrpc.Raw {
			return `"` + jsonrpc.Raw(strings.Repeat("ü", rapid.IntRange(least, most).Draw(t, "len"))) + `"`
		}, true}
	case 1:
		low := rapid.IntRange(-99, 99).Draw(t, "low")
		high := low + rapid.IntRange(1, 50).Draw(t, "high")
		s := build.Number().Min(hundredths(low)).Below(hundredths(high)).MultipleOf("0.01")
		return model{s, func(t *rapid.T) jsonrpc.Raw { return hundredths(rapid.IntRange(low, high-1).Draw(t, "n")) }, true}
	case 2:
		return fixed(build.Integer().Above("-2").Max("9007199254740993"), "-1", "9007199254740993", "1.0", "2e1")
	case 3:
		return fixed(build.Enum("a", "b"), `"a"`, `"b"`)
	case 4:
		return fixed(build.Boolean().Default("true").Examples("false"), "true", "false")
	case 5:
		return fixed(build.Const("null"), "null")
	case 6:
		e := models(t, depth-1)
		most := rapid.IntRange(0, 3).Draw(t, "most")
		return model{build.Array(e.s).MaxItems(most), func(t *rapid.T) jsonrpc.Raw {
			var list []string
			for range rapid.IntRange(0, most).Draw(t, "len") {
				list = append(list, string(e.good(t)))
			}
			return jsonrpc.Raw("[" + strings.Join(list, ",") + "]")
		}, e.strict}
	case 7:
		e := models(t, depth-1)
		return model{build.Nullable(e.s), func(t *rapid.T) jsonrpc.Raw {
			if rapid.Bool().Draw(t, "null") {
				return "null"
			}
			return e.good(t)
		}, e.strict}
	case 8:
		a, b := models(t, depth-1), models(t, depth-1)
		return model{build.AnyOf(a.s, b.s), func(t *rapid.T) jsonrpc.Raw {
			if rapid.Bool().Draw(t, "first") {
				return a.good(t)
			}
			return b.good(t)
		}, a.strict && b.strict}
	case 9:
		e := models(t, depth-1)
		return model{build.Map(e.s), func(t *rapid.T) jsonrpc.Raw { return `{"any":` + e.good(t) + `}` }, false}
	}
	return objects(t, depth)
}

func hundredths(n int) jsonrpc.Raw {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	return jsonrpc.Raw(fmt.Sprintf("%s%d.%02d", sign, n/100, n%100))
}

func objects(t *rapid.T, depth int) model {
	var list []model
	var props []build.Property
	m := model{strict: true}
	for i := range rapid.IntRange(0, 4).Draw(t, "members") {
		e := models(t, depth-1)
		list = append(list, e)
		m.strict = m.strict && e.strict
		prop := build.Prop
		if rapid.Bool().Draw(t, "optional") {
			prop = build.Optional
		}
		props = append(props, prop(fmt.Sprintf("m%d/~", i), e.s))
	}
	m.s = build.Object(props...)
	m.good = func(t *rapid.T) jsonrpc.Raw {
		var text []string
		for i, p := range props {
			if !p.IsOptional() || rapid.Bool().Draw(t, "there") {
				text = append(text, fmt.Sprintf("%q:%s", p.Name(), list[i].good(t)))
			}
		}
		return jsonrpc.Raw("{" + strings.Join(text, ",") + "}")
	}
	return m
}

// protocol/schema reads what is built and accepts what was meant, and the text is the same
// each time; Nullable adds only null; Strict accepts an object with every property.
func TestRandomSchemas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := objects(t, 3)
		text, err := m.s.JSON()
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := m.s.JSON(); again != text {
			t.Fatalf("%s and %s", text, again)
		}
		check, err := schema.Compile(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		nullable, err := build.Nullable(m.s).JSON()
		if err != nil || (schema.Basic{}).Validate(nullable, "null") != nil {
			t.Fatalf("%s: %v", nullable, err)
		}
		v := m.good(t)
		if err := check.Validate(v); err != nil {
			t.Fatalf("%s: %s: %v", text, v, err)
		}
		if err := (schema.Basic{}).Validate(nullable, v); err != nil {
			t.Fatalf("%s: %s: %v", nullable, v, err)
		}
		if other := jsonrpc.Raw(strings.Replace(string(v), "{", `{"other":1,`, 1)); v != "{}" && check.Validate(other) == nil {
			t.Fatalf("%s accepts %s", text, other)
		}
		if err := m.s.Default(v).Examples(v).Check(); err != nil {
			t.Fatal(err)
		}
		if err := m.s.Default("[]").Check(); err == nil {
			t.Fatalf("%s has an array as its default", text)
		}
		strict, err := m.s.Strict()
		if (err == nil) != m.strict {
			t.Fatalf("%s: %v", text, err)
		}
		if err != nil {
			return
		}
		if text, err = strict.JSON(); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), `"additionalProperties":{`) || strings.Count(string(text), `"properties"`) != strings.Count(string(text), `"required"`) {
			t.Fatalf("%s is not strict", text)
		}
	})
}
