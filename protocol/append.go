package protocol

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// closeObject ends an object none of whose members is required. The members were
// appended from dst[n] on, each with a comma before it, and the first comma
// becomes the brace.
func closeObject(dst []byte, n int) []byte {
	if len(dst) == n {
		return append(dst, "{}"...)
	}
	dst[n] = '{'
	return append(dst, '}')
}

// appendRaw appends v, or what an absent required value is written as.
func appendRaw(dst []byte, v, absent Raw) []byte {
	if v == "" {
		v = absent
	}
	return append(dst, v...)
}

// appendID appends id, null for an absent one.
func appendID(dst []byte, id jsonrpc.ID) []byte {
	if id.IsZero() {
		id = jsonrpc.Null
	}
	return id.Append(dst)
}

func appendStrings[T ~string](dst []byte, list []T) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = rawjson.AppendQuote(dst, string(s))
	}
	return append(dst, ']')
}

func appendStringMap(dst []byte, m map[string]string) []byte {
	dst = append(dst, '{')
	for i, key := range sortedKeys(m) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(rawjson.AppendQuote(dst, key), ':')
		dst = rawjson.AppendQuote(dst, m[key])
	}
	return append(dst, '}')
}

func appendRawMap(dst []byte, m map[string]Raw, absent Raw) []byte {
	dst = append(dst, '{')
	for i, key := range sortedKeys(m) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(rawjson.AppendQuote(dst, key), ':')
		dst = appendRaw(dst, m[key], absent)
	}
	return append(dst, '}')
}
