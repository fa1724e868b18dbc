package model

import (
	"encoding/json"
	"slices"
)

// form returns the requestedSchema of the params of elicitation/create. Those of the pool
// have at most one field, c, which is one of x and y.
func form(params string) map[string]any {
	p, _ := members(params)
	f, _ := p["requestedSchema"].(map[string]any)
	return f
}

// sound reports whether a form has as many names as values.
func sound(form map[string]any) bool {
	properties, _ := form["properties"].(map[string]any)
	c, _ := properties["c"].(map[string]any)
	names, given := c["enumNames"].([]any)
	values, _ := c["enum"].([]any)
	return !given || len(names) == len(values)
}

// filled reports whether content is what a form asks for.
func filled(form map[string]any, content any) bool {
	properties, _ := form["properties"].(map[string]any)
	if _, asked := properties["c"]; !asked {
		return true
	}
	required, _ := form["required"].([]any)
	fields, _ := content.(map[string]any)
	c, given := fields["c"]
	if !given {
		return !slices.Contains(required, any("c"))
	}
	return c == "x" || c == "y"
}

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
