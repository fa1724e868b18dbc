package rawjson

// Type returns the JSON type of a value by its first byte: "object", "array", "string",
// "boolean", "null" or "number"; "" for the empty text. The value is not checked.
func Type(val string) string {
	if val == "" {
		return ""
	}
	switch val[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// NameOf returns the name of one of some constants that count from 0, or unknown where it has none.
func NameOf[K ~uint8](k K, unknown string, names ...string) string {
	if int(k) < len(names) {
		return names[k]
	}
	return unknown
}
