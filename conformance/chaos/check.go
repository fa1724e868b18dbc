package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// entry is what a caller has seen of a call.
type entry struct {
	Session, Name, Kind string
	ID                  int64
	Ask                 bool // a question comes with it
	Began, Ended        time.Time
	Fate                string
	Got                 []event // in the order of arrival
}

// alone is the id of a JSON answer, which is not an event.
const alone = "alone"

// mark says that a function was started.
type mark struct {
	Name, Process string
	At            time.Time
}

// readMarks reads the file of marks.
func readMarks(path string) (list []mark, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		var m mark
		var at int64
		if _, err := fmt.Sscan(line, &m.Name, &m.Process, &at); err != nil {
			return nil, fmt.Errorf("a mark is %q: %w", line, err)
		}
		m.At = time.Unix(0, at)
		list = append(list, m)
	}
	return list, nil
}

// span is from one time to another.
type span struct{ from, to time.Time }

// checker checks a history. It knows what the caller of a call has seen, and the marks of functions,
// but not which process runs what.
type checker struct {
	lost  []span // when writes of the store were lost
	marks map[string][]mark
	calls map[string]bool
	// of a session and an id in it
	asked   map[string]string // the call of a request id
	answers map[string]int
	events  map[string]string // the data of an event
	ours    map[string]string // the text of the server's question
	wrong   []string
}

// check returns the violations of a history.
func check(history []entry, marks []mark, lost []span) []string {
	c := checker{
		lost: lost, marks: map[string][]mark{}, calls: map[string]bool{}, asked: map[string]string{},
		answers: map[string]int{}, events: map[string]string{}, ours: map[string]string{},
	}
	for _, m := range marks {
		c.marks[m.Name] = append(c.marks[m.Name], m)
	}
	for _, e := range history {
		key := of(e.Session, e.ID)
		if other, ok := c.asked[key]; ok {
			c.violation("%s and %s have one id", e.Name, other)
		}
		c.asked[key], c.calls[e.Name] = e.Name, true
	}
	for _, e := range history {
		c.call(&e)
	}
	for name, list := range c.marks {
		switch {
		case len(list) > 1:
			c.violation("the function of %s was started %d times: %v", name, len(list), list)
		case !c.calls[name]:
			c.violation("the function of %s was started, and nobody called it", name)
		}
	}
	return c.wrong
}

func of(session string, id any) string { return fmt.Sprint(session, " ", id) }

func (c *checker) violation(format string, args ...any) {
	c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
}

// call compares a call with the others.
func (c *checker) call(e *entry) {
	if list := c.marks[e.Name]; len(list) > 0 && list[0].At.Before(e.Began) {
		c.violation("the function of %s was started before it was called", e.Name)
	}
	last, step := "", 0.0
	var asked []string
	for _, ev := range e.Got {
		if ev.id != alone {
			c.event(e, ev, last)
			last = ev.id
		}
		if ev.data == "" {
			continue
		}
		m, err := parse(ev.data)
		switch {
		case err != nil:
			c.violation("%s: %v", e.Name, err)
		case m.Method == "notifications/progress":
			var p struct {
				Token    string  `json:"progressToken"`
				Progress float64 `json:"progress"`
				Message  string  `json:"message"`
			}
			_ = json.Unmarshal(m.Params, &p) // missing members are noticed below
			if p.Token != fmt.Sprint("p", e.ID) || p.Message != "step of "+e.Name || p.Progress <= step {
				c.violation("%s has progress %s after %v", e.Name, ev.data, step)
			}
			step = p.Progress
		case m.Method == "sampling/createMessage":
			if !strings.Contains(string(m.Params), `"for `+e.Name+`"`) {
				c.violation("%s has the question %s", e.Name, ev.data)
			}
			if was, ok := c.ours[of(e.Session, string(m.ID))]; ok {
				c.violation("the questions %s and %s have one id", was, ev.data)
			}
			c.ours[of(e.Session, string(m.ID))] = ev.data
			asked = append(asked, string(m.ID))
		case m.Method == "notifications/cancelled" && slices.Contains(asked, withdrawn(m.Params)):
		case m.Method != "" || string(m.ID) != strconv.FormatInt(e.ID, 10):
			c.violation("%s has a message that is not its own: %s", e.Name, ev.data)
		default:
			c.answer(e, m, ev.data)
		}
	}
}

// event compares an event with the previous one: none is missing, and no id is repeated in the session. If writes
// were lost in between, numbers are skipped, and the event that says so on a lost stream has no id.
func (c *checker) event(e *entry, ev event, last string) {
	skipped := slices.ContainsFunc(c.lost, func(s span) bool { return e.Began.Before(s.to) && s.from.Before(e.Ended) })
	if ev.id == "" && skipped && len(e.Got) == 1 { // its stream is lost, and the client had none of it
		return
	}
	if ev.id == "" {
		c.violation("%s: an event without an id: %.100s", e.Name, ev.data)
		return
	}
	key := of(e.Session, ev.id)
	if was, ok := c.events[key]; ok {
		c.violation("%s: event %s came again: %.100q, was %.100q", e.Name, ev.id, ev.data, was)
	}
	c.events[key] = ev.data
	if last == "" {
		return
	}
	stream, n := split(last)
	s, m := split(ev.id)
	if s != stream || m <= n || m != n+1 && !skipped {
		c.violation("%s: event %s follows %s", e.Name, ev.id, last)
	}
}

func split(id string) (stream string, n int) {
	at := strings.LastIndexByte(id, '-')
	n, err := strconv.Atoi(id[at+1:])
	if at < 0 || err != nil {
		return id, -1
	}
	return id[:at], n
}

// withdrawn returns the id of a cancelled question.
func withdrawn(params json.RawMessage) string {
	var p struct {
		ID json.RawMessage `json:"requestId"`
	}
	_ = json.Unmarshal(params, &p) // "" is the id of none
	return string(p.ID)
}

// answer compares an answer with its request, and with the process that has run it.
func (c *checker) answer(e *entry, m message, text string) {
	key := of(e.Session, e.ID)
	if c.answers[key]++; c.answers[key] == 2 {
		c.violation("%s was answered twice", e.Name)
	}
	if m.Error != nil {
		return
	}
	said, isError, err := resultOf(m)
	if err != nil {
		c.violation("%s has the answer %s", e.Name, text)
		return
	}
	if isError {
		if strings.Contains(said, "the lease of the process has ended") {
			c.violation("%s was answered by a process that had no lease, or gave it up while it had one: %s", e.Name, said)
		}
		if strings.Contains(said, "transport lost") && len(c.lost) == 0 {
			c.violation("%s: its question was answered, and the answer was lost: %s", e.Name, said)
		}
		return
	}
	want := "marked " + e.Name + " by "
	by, ok := strings.CutPrefix(said, want)
	if e.Ask && ok {
		by, ok = strings.CutSuffix(by, ", told yes "+e.Name)
	}
	list := c.marks[e.Name]
	switch {
	case !ok:
		c.violation("%s has the answer %q", e.Name, said)
	case len(list) == 0:
		c.violation("%s has an answer, and its function was not started", e.Name)
	case list[0].Process != by:
		c.violation("%s was run by %s, and answered by %s", e.Name, list[0].Process, by)
	case list[0].At.After(e.Ended):
		c.violation("%s was answered before its function was started", e.Name)
	}
}

// resultOf returns the text of the result of a tool.
func resultOf(m message) (text string, isError bool, err error) {
	var r struct {
		IsError bool `json:"isError"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if err := json.Unmarshal(m.Result, &r); err != nil {
		return "", false, err
	}
	if len(r.Content) != 1 {
		return "", false, fmt.Errorf("%d blocks", len(r.Content))
	}
	return r.Content[0].Text, r.IsError, nil
}
