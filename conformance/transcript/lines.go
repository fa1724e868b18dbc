package transcript

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/lifecycle"
)

// heard returns the line of a message of the peer: the text itself, if a stream of lines
// would lead to the same message.
func heard(text string) string {
	switch {
	case strings.TrimSpace(text) == "" || strings.ContainsAny(text, "\r\n") || strings.HasPrefix(text, "\ufeff"):
		return "> message " + quote(text)
	case !bare(text) || strings.HasPrefix(text, quoted) || strings.HasPrefix(text, "message ") || strings.HasPrefix(text, "repeat "):
		return "> quoted " + quote(text+"\n")
	}
	return "> " + text
}

// callOf names a Call: by the wire id, if that still identifies it.
func (r *memory) callOf(call lifecycle.Call) string {
	if call.IsZero() {
		return zero
	}
	best := ""
	for id, c := range r.calls { // several if a new session counts from 1 again
		if c.Seq() == call.Seq() && c.Key() == call.Key() && named(id) && (best == "" || id < best) {
			best = id
		}
	}
	if best != "" {
		return best
	}
	return fmt.Sprintf("#%d/%d", call.Seq(), call.Key())
}

func (r *memory) reqOf(req lifecycle.Req) string {
	if req.IsZero() {
		return zero
	}
	for id, q := range r.reqs { // at most one: the id is the number
		if q.Seq() == req.Seq() && named(id) {
			return id
		}
	}
	return "#" + strconv.FormatUint(req.Seq(), 10)
}

// named reports whether a script can use the wire id as a name.
func named(id string) bool {
	word, rest := cutWord(id + " x")
	return word == id && rest == "x" && bare(id)
}

// configLines writes options as lines of a head, of readable length.
func configLines(options []string) (lines []string) {
	line := "# config:"
	for _, option := range options {
		word := wordOf(option)
		if line != "# config:" && len(line)+len(word) > 140 {
			lines, line = append(lines, line), "# config:"
		}
		line += " " + word
	}
	if line != "# config:" {
		lines = append(lines, line)
	}
	return slices.Clip(lines)
}
