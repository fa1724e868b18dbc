package typed

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol/schema/build"
)

// word is a part of a schema tag: name=value|value.
type word struct {
	name   string
	values []string // nil if there is no =
}

// parseWords splits a schema tag. A value in single quotes may contain commas and bars; a quote in
// it is written twice.
func parseWords(tag string) (list []word, err error) {
	for rest := tag; rest != ""; {
		w := word{}
		end := strings.IndexAny(rest, "=,")
		if end < 0 {
			end = len(rest)
		}
		w.name, rest = strings.TrimSpace(rest[:end]), rest[end:]
		for strings.HasPrefix(rest, "=") || w.values != nil && strings.HasPrefix(rest, "|") {
			var value string
			if value, rest, err = parseValue(rest[1:]); err != nil {
				return nil, err
			}
			w.values = append(w.values, value)
		}
		if slices.ContainsFunc(list, func(other word) bool { return other.name == w.name }) {
			return nil, fmt.Errorf("the schema tag has %q twice", w.name)
		}
		list = append(list, w)
		if rest != "" {
			rest = rest[1:] // the comma
		}
		if rest == "" && strings.HasSuffix(tag, ",") {
			return nil, fmt.Errorf("the schema tag ends with a comma")
		}
	}
	return list, nil
}

// parseValue reads one value up to a comma or a bar.
func parseValue(s string) (value, rest string, err error) {
	if !strings.HasPrefix(s, "'") {
		end := strings.IndexAny(s, ",|")
		if end < 0 {
			end = len(s)
		}
		return s[:end], s[end:], nil
	}
	var b strings.Builder
	for s = s[1:]; ; {
		end := strings.IndexByte(s, '\'')
		if end < 0 {
			return "", "", fmt.Errorf("the schema tag has a quote that does not end")
		}
		b.WriteString(s[:end])
		if s = s[end+1:]; !strings.HasPrefix(s, "'") {
			break
		}
		b.WriteByte('\'')
		s = s[1:]
	}
	if s != "" && s[0] != ',' && s[0] != '|' {
		return "", "", fmt.Errorf("the schema tag has text after a quoted value")
	}
	return b.String(), s, nil
}

// flags are the words with a fixed number of values.
var flags = map[string]int{
	"any": 0, "nullable": 0, "required": 0, "optional": 0, "unique": 0, "default": 1, "title": 1, "pattern": 1, "format": 1,
	"min": 1, "max": 1, "above": 1, "below": 1, "multipleOf": 1, "minLength": 1, "maxLength": 1, "minItems": 1, "maxItems": 1,
	"minProps": 1, "maxProps": 1,
}

// rawOf returns a value of a tag as JSON: a JSON string for a type that is one.
func rawOf(p *plan, text string) jsonrpc.Raw {
	for p.op == opPointer {
		p = p.elem
	}
	switch p.op {
	case opString, opBytes, opTime, opText:
		return jsonrpc.Raw(rawjson.AppendQuote(nil, text))
	}
	return jsonrpc.Raw(text)
}

func rawsOf(p *plan, texts []string) (list []jsonrpc.Raw) {
	for _, t := range texts {
		list = append(list, rawOf(p, t))
	}
	return list
}

// counts are the words whose value is a count.
var counts = map[string]func(build.Schema, int) build.Schema{
	"minLength": build.Schema.MinLength, "maxLength": build.Schema.MaxLength,
	"minItems": build.Schema.MinItems, "maxItems": build.Schema.MaxItems,
	"minProps": build.Schema.MinProps, "maxProps": build.Schema.MaxProps,
}

// texts are the words whose value is a text.
var texts = map[string]func(build.Schema, string) build.Schema{
	"title": build.Schema.Title, "pattern": build.Schema.Pattern, "format": build.Schema.Format,
}

// bounds are the words whose value is a number.
var bounds = map[string]func(build.Schema, jsonrpc.Raw) build.Schema{
	"min": build.Schema.Min, "max": build.Schema.Max, "above": build.Schema.Above, "below": build.Schema.Below,
	"multipleOf": build.Schema.MultipleOf,
}

// widens reports whether a word would replace the bounds of a type by something wider.
func widens(p *plan, w word) bool {
	for p.op == opPointer {
		p = p.elem
	}
	switch w.name {
	case "minItems", "maxItems":
		return p.op == opArray
	case "min", "max":
	default:
		return false
	}
	f, err := strconv.ParseFloat(w.values[0], 64)
	if err != nil || p.op != opInt && p.op != opUint {
		return false // or build reports the mistake
	}
	least, most := 0.0, math.Ldexp(1, p.bits)
	if p.op == opInt {
		least, most = -most/2, most/2
	}
	return f < least || f >= most
}

// constrain applies one word to a schema.
func constrain(s build.Schema, p *plan, w word) (build.Schema, error) {
	if count, ok := flags[w.name]; ok && len(w.values) != count {
		return s, fmt.Errorf("the schema tag has %q with %d values", w.name, len(w.values))
	}
	switch {
	case !widens(p, w): // otherwise build would replace the bounds of the type
	case w.name == "min" || w.name == "max":
		return s, fmt.Errorf("the schema tag has %s=%s, which is out of range for %v", w.name, w.values[0], p.typ)
	default:
		return s, fmt.Errorf("the schema tag has %q, and the type says how many there are", w.name)
	}
	switch {
	case w.name == "enum" && w.values != nil:
		return s.Enum(rawsOf(p, w.values)...), nil
	case w.name == "examples" && w.values != nil:
		return s.Examples(rawsOf(p, w.values)...), nil
	case w.name == "unique":
		return s.Unique(), nil
	case counts[w.name] != nil:
		n, err := strconv.Atoi(w.values[0])
		if err != nil {
			return s, fmt.Errorf("the schema tag has %s=%s: want a number", w.name, w.values[0])
		}
		return counts[w.name](s, n), nil
	case texts[w.name] != nil:
		return texts[w.name](s, w.values[0]), nil
	case bounds[w.name] != nil:
		return bounds[w.name](s, jsonrpc.Raw(w.values[0])), nil
	}
	return s, fmt.Errorf("the schema tag has %q, which is not known; a value with a comma stands in single quotes", w.name)
}
