package typed

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// descriptionOf returns the description of a field: its doc tag, or its jsonschema tag, which is the
// description in the Go SDK of MCP. A tag of another library that says more than a description is an
// error, because it would have no effect.
func descriptionOf(sf reflect.StructField) (string, error) {
	for _, key := range strangers {
		if _, ok := sf.Tag.Lookup(key); ok {
			return "", fmt.Errorf("the tag %s is not read here: use doc and schema", key)
		}
	}
	doc, other := sf.Tag.Get("doc"), sf.Tag.Get("jsonschema")
	first, _, more := strings.Cut(other, " ")
	switch {
	case other == "":
		return doc, nil
	case strings.Contains(first, "="), !more && slices.Contains(keywords, other):
		return "", fmt.Errorf("the tag jsonschema has %q, and only a description is read there: use schema", first)
	case doc != "" && doc != other:
		return "", errors.New("the tags doc and jsonschema are two descriptions")
	}
	return other, nil
}

// strangers are the tags that describe a schema in other libraries.
var strangers = []string{"jsonschema_description", "jsonschema_extras"}

// keywords are the words of other libraries in a jsonschema tag without a value.
var keywords = []string{"-", "required", "optional", "nullable", "omitempty", "uniqueItems", "readOnly", "writeOnly", "deprecated", "additionalProperties", "anchor", "oneof_required"}

// tagged reports whether a field has a tag that only a member may have.
func tagged(sf reflect.StructField) bool {
	for _, key := range append([]string{"schema", "doc", "jsonschema"}, strangers...) {
		if sf.Tag.Get(key) != "" {
			return true
		}
	}
	return false
}

// options are the words of a json tag after the name.
type options struct{ omitEmpty, omitZero, ignored bool }

// nameOf reads the json tag of a field.
func nameOf(sf reflect.StructField) (name string, o options, err error) {
	tag := sf.Tag.Get("json")
	if tag == "-" {
		return "", options{ignored: true}, nil
	}
	name, rest, more := strings.Cut(tag, ",")
	for more {
		var word string
		switch word, rest, more = strings.Cut(rest, ","); word {
		case "omitempty":
			o.omitEmpty = true
		case "omitzero":
			o.omitZero = true
		case "":
		default:
			return "", o, fmt.Errorf("the json tag has %q, which is not known", word)
		}
	}
	if strings.Contains(name, "\ufffd") || string(rawjson.AppendQuote(nil, name)) != `"`+name+`"` {
		return "", o, fmt.Errorf("%q cannot be the name of a member", name)
	}
	return name, o, nil
}
