package many

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/sansmcp/mcp/protocol"
)

// errand is the content of a request to a server: each has its mark in all
// params that come back, so that an answer, progress, a log message or a request of the
// server about it can be distinguished from all others.
type errand struct {
	Mark  mark          `json:"mark"`            // its owner
	Do    string        `json:"do"`              // the task, see deeds
	Count int           `json:"count,omitempty"` // how often
	Wait  time.Duration `json:"wait,omitempty"`  // how long it takes
}

// mark names an errand: its sender, its server, and its number there.
type mark string

func newMark(party, server string, n int) mark {
	return mark(fmt.Sprintf("<%s to %s #%d>", party, server, n))
}

// of reports whether the mark belongs to a party and server.
func (m mark) of(party, server string) bool {
	return strings.HasPrefix(string(m), "<"+party+" to "+server+" #")
}

// marks returns all marks in a text.
func marks(text string) (found []mark) {
	text = unescape.Replace(text)
	for {
		_, rest, ok := strings.Cut(text, "<")
		if !ok {
			return found
		}
		inner, more, ok := strings.Cut(rest, ">")
		if !ok {
			return found
		}
		if strings.Contains(inner, " to ") {
			found = append(found, mark("<"+inner+">"))
		}
		text = more
	}
}

// deed is a task for a process.
type deed struct {
	do     string
	weight int
}

func (d deed) often() int { return d.weight }

// deeds are the tasks of a tool call, with their frequency.
var deeds = []deed{
	{"answer", 30}, // after Wait
	{"progress", 10},
	{"sample", 6}, // ask the model of the client, and answer with its answer
	{"elicit", 6},
	{"roots", 4},
	{"fail", 5},     // a result that is an error
	{"refuse", 5},   // an error of JSON-RPC
	{"mute", 5},     // nothing
	{"late", 5},     // answer although it was cancelled
	{"twice", 3},    // answer twice
	{"die", 2},      // die in the middle
	{"garbage", 4},  // first send invalid messages
	{"flood", 3},    // first send too much
	{"change", 4},   // first change the lists
	{"stranger", 4}, // first send messages about unknown things
	{"big", 3},      // answer with much text
	{"wrong", 3},    // answer with an invalid result
}

// errand draws the task of a tool call.
func (d dice) errand(m mark) errand {
	return errand{Mark: m, Do: deeds[weighed(d, deeds, deed.often)].do, Count: 1 + d.IntN(5), Wait: d.span(0, 800*time.Millisecond)}
}

// arguments returns the errand as the arguments of a call.
func (e errand) arguments() protocol.Raw {
	text, err := json.Marshal(e)
	if err != nil {
		panic(err) // it consists of strings and numbers
	}
	return protocol.Raw(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(text)))
}

// with returns the arguments with one more member.
func (e errand) with(odd string) protocol.Raw {
	if odd == "" {
		return e.arguments()
	}
	return protocol.Raw(`{ "odd" : ` + odd + `,` + string(e.arguments()[1:]))
}

// readErrand reads arguments back; without an errand they are a plain request.
func readErrand(raw protocol.Raw) (e errand) {
	if err := json.Unmarshal([]byte(raw), &e); err != nil || e.Do == "" {
		e.Do = "answer"
	}
	return e
}
