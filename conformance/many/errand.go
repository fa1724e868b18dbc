package many

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/sansmcp/mcp/protocol"
)

// errand is what a request asks of its server: each carries its mark, in whatever of its
// params comes back, so that an answer, progress, a log message or a request of the
// server that is about it can be told from those of all others.
type errand struct {
	Mark  mark          `json:"mark"`            // whose it is
	Do    string        `json:"do"`              // what is to be done, see deeds
	Count int           `json:"count,omitempty"` // how often
	Wait  time.Duration `json:"wait,omitempty"`  // how long it takes
}

// mark names an errand: who sent it, where to, and its number there.
type mark string

func newMark(party, server string, n int) mark {
	return mark(fmt.Sprintf("<%s to %s #%d>", party, server, n))
}

// of reports whether the mark is that of a party and server.
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

// deed is something that a process can be asked to do.
type deed struct {
	do     string
	weight int
}

func (d deed) often() int { return d.weight }

// deeds are what a call of a tool can ask for, with how often each is drawn.
var deeds = []deed{
	{"answer", 30}, // after Wait
	{"progress", 10},
	{"sample", 6}, // ask the model of the client, and answer with what it says
	{"elicit", 6},
	{"roots", 4},
	{"fail", 5},     // a result that is an error
	{"refuse", 5},   // an error of JSON-RPC
	{"mute", 5},     // nothing
	{"late", 5},     // answer although it was cancelled
	{"twice", 3},    // answer twice
	{"die", 2},      // die in the middle of it
	{"garbage", 4},  // say things that are no messages first
	{"flood", 3},    // say too much first
	{"change", 4},   // change the lists first
	{"stranger", 4}, // speak of things that there are not first
	{"big", 3},      // answer with much text
	{"wrong", 3},    // answer with what is no result of a tool
}

// errand draws what a call of a tool asks for.
func (d dice) errand(m mark) errand {
	return errand{Mark: m, Do: deeds[weighed(d, deeds, deed.often)].do, Count: 1 + d.IntN(5), Wait: d.span(0, 800*time.Millisecond)}
}

// arguments returns the errand as the arguments of a call.
func (e errand) arguments() protocol.Raw {
	text, err := json.Marshal(e)
	if err != nil {
		panic(err) // it is made of strings and numbers
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

// readErrand reads arguments back; what has none is a plain request.
func readErrand(raw protocol.Raw) (e errand) {
	if err := json.Unmarshal([]byte(raw), &e); err != nil || e.Do == "" {
		e.Do = "answer"
	}
	return e
}
