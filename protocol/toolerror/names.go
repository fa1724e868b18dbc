package toolerror

import (
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// The names that payloads have for arguments and for types.

// types are the types of JSON, as JSON Schema names them.
var types = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

// bare returns the name of a type without its article, and any other text as it is.
func bare(want string) string {
	_, name, _ := strings.Cut(want, " ")
	if slices.Contains(types, name) && phrase(name) == want {
		return name
	}
	return want
}

// phrase returns the name of a type with its article, and any other text as it is.
func phrase(want string) string {
	switch {
	case !slices.Contains(types, want), want == "null":
		return want
	case strings.ContainsRune("aio", rune(want[0])):
		return "an " + want
	}
	return "a " + want
}

// unescape undoes the escapes of a JSON pointer.
var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// parameterName returns the names on the way to an argument with dots between; "root" for the
// arguments themselves.
func parameterName(path string) string {
	if path == "" {
		return "root"
	}
	return unescape.Replace(strings.ReplaceAll(strings.TrimPrefix(path, "/"), "/", "."))
}

var escape = strings.NewReplacer("~", "~0", "/", "~1", ".", "/")

// pointer returns the JSON pointer of a parameter name.
func pointer(name string) string {
	if name == "" || name == "root" {
		return ""
	}
	return "/" + escape.Replace(name)
}

// either returns a string under one of two names, "" if there is none.
func either(raw, name, older string) string {
	if _, there := rawjson.Get(raw, name); there {
		return rawjson.Text(raw, name)
	}
	return rawjson.Text(raw, older)
}
