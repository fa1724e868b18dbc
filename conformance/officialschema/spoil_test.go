package officialschema_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/protocol"
)

// spoil changes a few random places of an object: members that are missing, null, or of
// another type, and unknown members. Texts stay unchanged, because the
// application is responsible for formats in raw bodies.
func (x *talk) spoil(raw protocol.Raw) protocol.Raw {
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return "{}"
	}
	for range 1 + x.d.Intn(3) {
		v = x.spoilt(v)
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // it was read from JSON
	}
	return protocol.Raw(text)
}

var (
	spoilers = []string{"null", "null", "null", "0", "1.5", "-1", "true", "[]", "[1]", "[null]", "{}", `{"a":null}`}
	members  = strings.Fields(`_meta annotations arguments audience blob completion content context cursor default description enum
		experimental format hasMore hints inputSchema isError level logger maxTokens metadata mimeType minimum modelPreferences name
		nextCursor outputSchema priority properties readOnlyHint required size stopSequences structuredContent temperature text title total uri`)
)

// spoilt changes one place in v, mostly not at the top.
func (x *talk) spoilt(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if x.one(3) {
			v[members[x.d.Intn(len(members))]] = x.spoiler()
			return v
		}
		names := slices.Sorted(maps.Keys(v))
		if len(names) == 0 {
			return v
		}
		name := names[x.d.Intn(len(names))]
		if x.one(6) {
			delete(v, name)
		} else {
			v[name] = x.spoilt(v[name])
		}
		return v
	case []any:
		if len(v) > 0 {
			i := x.d.Intn(len(v))
			v[i] = x.spoilt(v[i])
			return v
		}
	}
	return x.spoiler()
}

func (x *talk) spoiler() any { return json.RawMessage(spoilers[x.d.Intn(len(spoilers))]) }
