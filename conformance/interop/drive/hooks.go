package drive

import (
	"encoding/json"
	"slices"
	"sync"
	"time"
)

// What the client answers the server's requests with.
const (
	Answer  = "an answer of the client"
	RootURI = "file:///tmp/interop-root"
)

// Hooks answers the server's requests and remembers what was asked.
type Hooks struct {
	Revision string // to ask for; "" for what the SDK asks for by itself

	mu      sync.Mutex
	action  string
	content map[string]any // what a form is filled in with, if not made up
	asks    string         // the last form
	url, id string         // of the last page
	sampled []string
	tools   []string // that the model has used
	keys    []string
	roots   int
	notes   map[string][]string
}

// Noted records a notification, with its uri or text if it has one.
func (h *Hooks) Noted(method, detail string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.notes == nil {
		h.notes = map[string][]string{}
	}
	h.notes[method] = append(h.notes[method], detail)
}

// take returns the notifications of a method that came since the last call, as soon as
// there are n, or those that came within the time.
func (h *Hooks) take(method string, n int, within time.Duration) []string {
	for end := time.Now().Add(within); ; time.Sleep(5 * time.Millisecond) {
		h.mu.Lock()
		got := h.notes[method]
		if (n > 0 && len(got) >= n) || time.Now().After(end) {
			delete(h.notes, method)
			h.mu.Unlock()
			return got
		}
		h.mu.Unlock()
	}
}

// RootsAsked records a roots/list.
func (h *Hooks) RootsAsked() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.roots++
}

// asksForRoots returns how often roots/list came.
func (h *Hooks) asksForRoots() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.roots
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

// Reason answers a sampling/createMessage that may have tools: it is given the first tool
// and what the last one said, "" for none, and returns what the model says, or that it
// uses the tool.
func (h *Hooks) Reason(prompt, tool, result string) (text string, use bool) {
	if tool == "" {
		return h.Sample(prompt), false
	}
	if result != "" {
		return "The tool says " + result, false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tools = append(h.tools, tool)
	return "", true
}

// used returns the tools that the model has used.
func (h *Hooks) used() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.tools)
}

// answer sets what the next elicitations are answered with.
func (h *Hooks) answer(action string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.action, h.content, h.keys, h.url, h.id = action, nil, nil, "", ""
}

// fillWith sets what the next forms are filled in with.
func (h *Hooks) fillWith(content map[string]any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.content = content
}

// form returns the last form that was shown, as JSON.
func (h *Hooks) form() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.asks
}

// Visit answers an elicitation/create by url.
func (h *Hooks) Visit(url, id string) (action string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.url, h.id = url, id
	return h.action
}

// visited returns the last page that the user was sent to.
func (h *Hooks) visited() (url, id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.url, h.id
}

// filled returns the names in the content of the last elicitation.
func (h *Hooks) filled() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.keys)
}

// Elicit answers an elicitation/create: with the action set before, and for
// accept with content that fits the requested schema. The action set as "break" is an
// accept with numbers that are too large for it.
func (h *Hooks) Elicit(schema any) (string, map[string]any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	b, _ := json.Marshal(schema)
	h.asks = string(b)
	switch {
	case h.action != "accept" && h.action != "break":
		return h.action, nil
	case h.content != nil:
		return h.action, h.content
	}
	content := fill(schema)
	if h.action == "break" {
		for k, v := range content {
			if v == 7 {
				content[k] = 700
			}
		}
		return "accept", content
	}
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
