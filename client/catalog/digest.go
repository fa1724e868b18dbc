package catalog

import (
	"maps"
	"slices"
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// canonical appends a text that equal JSON values share and others do not, whatever the order of
// their members and the spelling of their strings and numbers (E6). It leaves out the members of an
// object that are called without, but not those of what is in it.
func canonical(dst []byte, raw, without string, depth int) []byte {
	if o, ok := rawjson.Members(raw); ok && depth > 0 {
		last := map[string]string{} // of members of one name the last counts
		for name, val := range o.All {
			if without == "" || name != without {
				last[name] = val
			}
		}
		dst = append(dst, '{')
		for _, name := range slices.Sorted(maps.Keys(last)) {
			dst = canonical(counted(dst, name), last[name], "", depth-1)
		}
		return append(dst, '}')
	}
	if a, ok := rawjson.Elements(raw); ok && depth > 0 {
		dst = append(dst, '[')
		for val := range a.All {
			dst = canonical(dst, val, "", depth-1)
		}
		return append(dst, ']')
	}
	if s, ok := rawjson.Unquote(raw); ok {
		return counted(append(dst, 's'), s)
	}
	if neg, digits, exp, ok := rawjson.Decimal(raw); ok {
		return counted(append(dst, 'n'), strconv.FormatBool(neg)+digits+"e"+strconv.Itoa(int(exp)))
	}
	return counted(dst, raw)
}

// counted appends a text with its length before it, so that nothing in it is taken for something else.
func counted(dst []byte, text string) []byte {
	return append(append(strconv.AppendInt(dst, int64(len(text)), 10), ':'), text...)
}

// same reports whether two definitions say the same, but for their _meta.
func same(a, b string) bool {
	const depth = rawjson.DefaultDepth
	return a == b || string(canonical(nil, a, "_meta", depth)) == string(canonical(nil, b, "_meta", depth))
}
