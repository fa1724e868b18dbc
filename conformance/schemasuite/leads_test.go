package schemasuite_test

import (
	"encoding/json"
	"strconv"
	"strings"
)

// leads reports whether a JSON pointer has a target.
func leads(text, pointer string) bool {
	var at any
	if json.Unmarshal([]byte(text), &at) != nil {
		return false
	}
	if pointer == "" {
		return true
	}
	for _, part := range strings.Split(pointer[1:], "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		switch v := at.(type) {
		case map[string]any:
			next, ok := v[part]
			if !ok {
				return false
			}
			at = next
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i >= len(v) {
				return false
			}
			at = v[i]
		default:
			return false
		}
	}
	return true
}
