package provider

import "github.com/sansmcp/mcp/jsonrpc/rawjson"

// same reports whether two values are equal JSON: whatever the escapes of strings, the spelling of
// numbers and the order of members.
func same(a, b string) bool { return a == b || alike(a, b, 0) }

func alike(a, b string, depth int) bool {
	kind := rawjson.Type(a)
	if kind != rawjson.Type(b) || depth == maxDepth {
		return false
	}
	switch kind {
	case "string":
		x, _ := rawjson.Unquote(a)
		y, _ := rawjson.Unquote(b)
		return x == y
	case "number":
		neg, digits, exp, ok := rawjson.Decimal(a)
		minus, others, shift, fits := rawjson.Decimal(b)
		return ok && fits && neg == minus && digits == others && exp == shift
	case "array":
		x, y := elementsOf(a), elementsOf(b)
		if len(x) != len(y) {
			return false
		}
		for i := range x {
			if !alike(x[i], y[i], depth+1) {
				return false
			}
		}
		return true
	case "object":
		x, y := membersOf(a), membersOf(b)
		if len(x) != len(y) {
			return false
		}
		at := valuesOf(b)
		for _, m := range x {
			if val, there := at[m.name]; !there || !alike(m.val, val, depth+1) {
				return false
			}
		}
		return true
	}
	return a == b
}
