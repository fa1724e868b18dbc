package drive

import (
	"encoding/json"
	"slices"
	"sync"
)

// What the client answers the server's requests with.
const (
	Answer  = "an answer of the client"
	RootURI = "file:///tmp/interop-root"
)

// Hooks answers the server's requests and remembers what was asked.
type Hooks struct {
	mu      sync.Mutex
	action  string
	sampled []string
	keys    []string
}

// Sample records the prompt of a sampling/createMessage and returns the answer.
func (h *Hooks) Sample(prompt string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sampled = append(h.sampled, prompt)
	return Answer
}

// asked returns the prompts of all sampling requests.
func (h *Hooks) asked() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.sampled)
}

// answer sets what the next elicitations are answered with.
func (h *Hooks) answer(action string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.action, h.keys = action, nil
}

// filled returns the names in the content of the last elicitation.
func (h *Hooks) filled() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.keys)
}

// Elicit answers an elicitation/create: with the action set before, and for
// accept with content that fits the requested schema.
func (h *Hooks) Elicit(schema any) (string, map[string]any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.action != "accept" {
		return h.action, nil
	}
	content := fill(schema)
	for k := range content {
		h.keys = append(h.keys, k)
	}
	return h.action, content
}

func fill(schema any) map[string]any {
	var s struct {
		Properties map[string]struct {
			Type string
			Enum []any
		}
	}
	b, err := json.Marshal(schema)
	if err != nil || json.Unmarshal(b, &s) != nil {
		return nil
	}
	out := map[string]any{}
	for name, p := range s.Properties {
		switch {
		case len(p.Enum) > 0:
			out[name] = p.Enum[0]
		case p.Type == "boolean":
			out[name] = true
		case p.Type == "integer", p.Type == "number":
			out[name] = 7
		default:
			out[name] = "some text"
		}
	}
	return out
}
