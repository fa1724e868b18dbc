package officialschema

import (
	"encoding/json"
	"maps"
)

// exceptions are the places in which the official schema is wrong. mend returns a part of
// a line as the schema takes it. There are none in which a State is.
var exceptions = map[string]func(part any) any{
	// Its content may have any number: schema.ts says so, and a NumberSchema asks for
	// one. The JSON file has made an integer of it.
	"ElicitResult": func(part any) any {
		r, _ := part.(map[string]any)
		content, ok := r["content"].(map[string]any)
		if !ok {
			return part
		}
		r, content = maps.Clone(r), maps.Clone(content)
		for name, v := range content {
			if _, ok := v.(json.Number); ok {
				content[name] = json.Number("0")
			}
		}
		r["content"] = content
		return r
	},
}
