package model

import (
	"encoding/json"
	"slices"
	"strings"
)

// form returns the requestedSchema of the params of elicitation/create.
func form(params string) map[string]any {
	p, _ := members(params)
	f, _ := p["requestedSchema"].(map[string]any)
	return f
}

// fields calls f for each field of a form until it returns false, and returns what the last
// one came to. The order is any: each field stands for itself.
func fields(form map[string]any, f func(name string, field map[string]any) bool) bool {
	properties, _ := form["properties"].(map[string]any)
	for name, v := range properties {
		if field, _ := v.(map[string]any); !f(name, field) {
			return false
		}
	}
	return true
}

// formFits reports whether a form has the shape that a revision asks for: one with what came
// with 2025-11-25, or not.
func formFits(form map[string]any, late bool) bool {
	properties, ok := form["properties"].(map[string]any)
	if !ok || form["type"] != "object" || form["required"] != nil && !isKind(form["required"], "[]string") || late && form["$schema"] != nil && !isKind(form["$schema"], "string") {
		return false
	}
	for _, v := range properties { // any order: it only counts
		if !isKind(v, "object") {
			return false
		}
	}
	return fields(form, func(_ string, field map[string]any) bool {
		kind := map[any]string{"string": "string", "number": "num", "integer": "num", "boolean": "bool"}[field["type"]]
		items, isList := field["items"].(map[string]any)
		switch {
		case field["type"] == "array" && late:
			if kind = "[]string"; !isList || items["anyOf"] == nil && (items["type"] != "string" || !isKind(items["enum"], "[]string")) {
				return false
			}
			if items["enum"] == nil && !isKind(items["anyOf"], "[]choice") {
				return false
			}
		case kind == "":
			return false
		case field["type"] == "string" && late && field["enum"] == nil && field["oneOf"] != nil && !isKind(field["oneOf"], "[]choice"):
			return false
		}
		return field["default"] == nil || !late && kind != "bool" || isKind(field["default"], kind)
	})
}

// several reports whether a form has a field that takes more than one value, which only
// 2025-11-25 knows.
func several(form map[string]any) bool {
	return !fields(form, func(_ string, field map[string]any) bool { return field["type"] != "array" })
}

// named reports whether a form has as many names as values.
func named(form map[string]any) bool {
	return fields(form, func(_ string, field map[string]any) bool {
		names, given := field["enumNames"].([]any)
		values, _ := field["enum"].([]any)
		return !given || len(names) == len(values)
	})
}

// preset reports whether every default of a form is a value of its field.
func preset(form map[string]any) bool {
	return fields(form, func(_ string, field map[string]any) bool {
		return field["default"] == nil || takes(field, field["default"], true)
	})
}

// takes reports whether a value is one of a field.
func takes(field map[string]any, v any, late bool) bool {
	values := func(of map[string]any, titled string) (list []any, some bool) {
		if enum, ok := of["enum"].([]any); ok {
			return enum, true
		}
		choices, ok := of[titled].([]any)
		for _, c := range choices {
			list = append(list, c.(map[string]any)["const"])
		}
		return list, ok && late
	}
	within := func(n int64, from, to string) bool {
		low, _ := field[from].(json.Number)
		high, _ := field[to].(json.Number)
		least, _ := low.Int64()
		most, err := high.Int64()
		return n >= least && (err != nil || n <= most)
	}
	switch field["type"] {
	case "string":
		list, chosen := values(field, "oneOf")
		s, ok := v.(string)
		return ok && (!chosen || slices.Contains(list, v)) && (chosen || within(int64(len(s)), "minLength", "maxLength"))
	case "array":
		items, _ := field["items"].(map[string]any)
		list, _ := values(items, "anyOf")
		chosen, ok := v.([]any)
		for i, c := range chosen {
			ok = ok && slices.Contains(list, c) && !slices.Contains(chosen[:i], c)
		}
		return ok && within(int64(len(chosen)), "minItems", "maxItems")
	case "boolean":
		return isKind(v, "bool")
	case "integer":
		return isKind(v, "int")
	}
	return isKind(v, "num")
}

// filled reports whether content is what a form asks for.
func filled(form map[string]any, content any, late bool) bool {
	answers, _ := content.(map[string]any)
	required, _ := form["required"].([]any)
	for _, name := range required {
		if _, given := answers[name.(string)]; !given {
			return false
		}
	}
	return fields(form, func(name string, field map[string]any) bool {
		v, given := answers[name]
		return !given || takes(field, v, late)
	})
}

// answerable reports whether content has only what an answer to a form can be made of, with
// lists of strings or not.
func answerable(content any, lists bool) bool {
	values, _ := content.(map[string]any)
	for _, v := range values { // any order: it only counts
		if isKind(v, "object") || v == nil || isKind(v, "array") && (!lists || !isKind(v, "[]string")) {
			return false
		}
	}
	return true
}

// olderForm takes out of a form what 2025-06-18 does not have, and reports whether that says
// something.
func olderForm(form map[string]any) (lossy bool) {
	lossy = form["$schema"] != nil
	delete(form, "$schema")
	fields(form, func(_ string, field map[string]any) bool {
		if choices, ok := field["oneOf"].([]any); ok && field["type"] == "string" && field["enum"] == nil {
			var values, names []any
			for _, c := range choices {
				values, names = append(values, c.(map[string]any)["const"]), append(names, c.(map[string]any)["title"])
			}
			delete(field, "oneOf")
			field["enum"], field["enumNames"] = values, names
		}
		if field["default"] != nil && field["type"] != "boolean" {
			lossy = true
			delete(field, "default")
		}
		return true
	})
	return lossy
}

// isSecure reports whether a url is an https one.
func isSecure(url string) bool { return strings.HasPrefix(strings.ToLower(url), "https://") }

// cutCompletion takes what is too much out of the result of completion/complete, and
// reports whether there was any.
func cutCompletion(v map[string]any) bool {
	completion, _ := v["completion"].(map[string]any)
	values, _ := completion["values"].([]any)
	if len(values) <= 100 {
		return false
	}
	cut := map[string]any{}
	for name, member := range completion {
		cut[name] = member
	}
	if cut["total"] == nil {
		cut["total"] = json.Number(number(uint64(len(values))))
	}
	cut["values"], cut["hasMore"] = values[:100], true
	v["completion"] = cut
	return true
}
