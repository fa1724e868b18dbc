package typed

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// descriptionOf returns the description of a field: its doc tag, or its jsonschema tag, which is one
// in the SDK of the protocol's authors. A tag of another library, which says more than a description,
// is an error: what it asks for would not happen.
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

// strangers are the tags with which other libraries describe a schema.
var strangers = []string{"jsonschema_description", "jsonschema_extras"}

// keywords are what other libraries have in a jsonschema tag without a value.
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

// isRaw reports whether a type is JSON text: jsonrpc.Raw, or one that encoding/json has for that.
// Those are found by name, for encoding/json is not imported.
func isRaw(t reflect.Type) bool {
	switch t.PkgPath() {
	case "encoding/json":
		return t.Name() == "RawMessage"
	case "encoding/json/jsontext": // which a newer encoding/json names RawMessage
		return t.Name() == "Value"
	}
	return t == rawType
}
