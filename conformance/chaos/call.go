package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// plan is what a call does.
type plan struct {
	kind  string
	args  markArgs
	leave int           // the client cuts the stream after so many events
	stop  int           // it cancels after so many
	over  time.Duration // how long the client waits for its answer, at most
}

// call is one call of a client, from its request to what its caller is told.
type call struct {
	plan
	s    *session
	b    *book
	name string // of the call, in its arguments and in all that comes of it
	id   int64

	seen    map[string]string // what each event had
	last    string            // the id of the last one
	n       int
	step    float64
	answers int
	err     string
	cut     time.Time
	stopped bool
	resumes int
	asked   []string // the ids of its questions
}

// make makes the call, and notes what came of it.
func (c *call) make(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, c.over)
	defer cancel()
	c.b.begin(c.kind, c.name)
	c.seen = map[string]string{}
	fate, detail := c.run(ctx)
	if c.answers > 1 {
		c.b.violation("%s was answered %d times", c.name, c.answers)
	}
	c.b.end(fate, detail, c.cut)
	c.b.count(len(c.seen), c.resumes)
}

func (c *call) run(ctx context.Context) (fate, detail string) {
	args, _ := json.Marshal(c.args) // it can be written
	resp, err := c.s.do(ctx, http.MethodPost, fmt.Sprintf(
		`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"mark","arguments":%s,"_meta":{"progressToken":"p%d"}}}`, c.id, args, c.id), "")
	if err != nil {
		return c.lost(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return c.refused(resp)
	}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			return c.lost(ctx, err)
		}
		c.take(ctx, string(text))
		return c.told(ctx, nil)
	}
	err = c.read(ctx, resp.Body, c.leave)
	_ = resp.Body.Close()
	if c.leave > 0 && c.answers == 0 && err == nil && c.n >= c.leave {
		return c.resume(ctx)
	}
	return c.told(ctx, err)
}

// told is the fate after a stream or a body has ended.
func (c *call) told(ctx context.Context, err error) (fate, detail string) {
	switch {
	case c.answers > 0 && c.err != "":
		return failed, c.err
	case c.answers > 0:
		return answered, ""
	case ctx.Err() != nil:
		return c.lost(ctx, ctx.Err())
	case c.stopped && err == nil:
		return cancelled, ""
	case err != nil && c.last == "":
		return c.lost(ctx, err)
	case c.last == "":
		return silent, c.kind
	}
	if err != nil && c.cut.IsZero() {
		c.cut = time.Now()
	}
	return c.resume(ctx)
}

// lost is the fate of a call whose connection was cut, or that waited for too long.
func (c *call) lost(ctx context.Context, err error) (fate, detail string) {
	if ctx.Err() != nil {
		return hung, fmt.Sprintf("%s, after %d events", c.kind, c.n)
	}
	return unreadable, ""
}

func (c *call) refused(resp *http.Response) (fate, detail string) {
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 4096)) // for people
	if resp.StatusCode == http.StatusNotFound {
		c.s.gone.Store(true)
	}
	if m, err := parse(string(text)); err == nil && m.Error != nil {
		return refused, fmt.Sprint(resp.StatusCode, " ", m.Error.Message)
	}
	return refused, strconv.Itoa(resp.StatusCode)
}

// resume goes on with the stream until there is an answer.
func (c *call) resume(ctx context.Context) (fate, detail string) {
	for ctx.Err() == nil {
		if c.stopped { // its stream may have nothing more
			return cancelled, ""
		}
		c.resumes++
		resp, err := c.s.do(ctx, http.MethodGet, "", c.last)
		if err == nil && resp.StatusCode == http.StatusOK {
			err = c.read(ctx, resp.Body, 0)
			_ = resp.Body.Close()
			if c.answers > 0 {
				return c.told(ctx, nil)
			}
		} else if err == nil {
			fate, detail := c.refused(resp)
			_ = resp.Body.Close()
			if resp.StatusCode < 500 {
				return fate, "resumed, " + detail
			}
		}
		if err != nil && c.cut.IsZero() && ctx.Err() == nil {
			c.cut = time.Now()
		}
		pause(ctx, again)
	}
	return c.lost(ctx, ctx.Err())
}

// read reads a stream to its end, or until so many events have come.
func (c *call) read(ctx context.Context, body io.Reader, most int) error {
	return events(body, func(e event) bool {
		c.follow(e)
		if e.data != "" {
			c.take(ctx, e.data)
		}
		if c.stop > 0 && c.n >= c.stop && !c.stopped && c.answers == 0 {
			c.stopped = true
			go c.s.tell(ctx, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, c.id))
		}
		return most == 0 || c.n < most || c.answers > 0
	})
}

// follow holds the id of an event against those before it: none is missing, and none is given twice.
func (c *call) follow(e event) {
	c.n++
	if e.id == "" {
		c.b.violation("%s: an event without an id: %.100s", c.name, e.data)
		return
	}
	if was, ok := c.seen[e.id]; ok {
		c.b.violation("%s: event %s came again: %.100q, was %.100q", c.name, e.id, e.data, was)
	}
	c.seen[e.id] = e.data
	if c.last != "" {
		stream, n := split(c.last)
		if s, m := split(e.id); s != stream || m != n+1 {
			c.b.violation("%s: event %s follows %s", c.name, e.id, c.last)
		}
	}
	c.last = e.id
}

func split(id string) (stream string, n int) {
	at := strings.LastIndexByte(id, '-')
	n, err := strconv.Atoi(id[at+1:])
	if at < 0 || err != nil {
		return id, -1
	}
	return id[:at], n
}

// take takes a message, all of which belong to this call.
func (c *call) take(ctx context.Context, text string) {
	m, err := parse(text)
	switch {
	case err != nil:
		c.b.violation("%s: %v", c.name, err)
	case m.Method == "notifications/progress":
		var p struct {
			Token    string  `json:"progressToken"`
			Progress float64 `json:"progress"`
			Message  string  `json:"message"`
		}
		_ = json.Unmarshal(m.Params, &p) // what it lacks is seen below
		if p.Token != fmt.Sprint("p", c.id) || p.Message != "step of "+c.name || p.Progress <= c.step {
			c.b.violation("%s has progress %s after %v", c.name, text, c.step)
		}
		c.step = p.Progress
	case m.Method == "sampling/createMessage":
		if !strings.Contains(string(m.Params), `"for `+c.name+`"`) {
			c.b.violation("%s has the question %s", c.name, text)
		}
		c.asked = append(c.asked, string(m.ID))
		go c.s.tell(ctx, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"role":"assistant","model":"m","content":{"type":"text","text":"yes %s"}}}`, m.ID, c.name))
	case m.Method == "notifications/cancelled" && slices.Contains(c.asked, withdrawn(m.Params)):
	case m.Method != "" || string(m.ID) != strconv.FormatInt(c.id, 10):
		c.b.violation("%s has a message that is not its own: %s", c.name, text)
	default:
		c.answers++
		c.answer(m, text)
	}
}

// withdrawn returns the id of a question that nobody waits for any more.
func withdrawn(params json.RawMessage) string {
	var p struct {
		ID json.RawMessage `json:"requestId"`
	}
	_ = json.Unmarshal(params, &p) // "" is the id of none
	return string(p.ID)
}

// answer holds the answer against what was asked.
func (c *call) answer(m message, text string) {
	if m.Error != nil {
		c.err = fmt.Sprint(m.Error.Code, " ", m.Error.Message)
		return
	}
	var r struct {
		IsError bool `json:"isError"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if err := json.Unmarshal(m.Result, &r); err != nil || len(r.Content) != 1 {
		c.b.violation("%s has the answer %s", c.name, text)
		return
	}
	want := "marked " + c.name
	if c.args.Ask {
		want += ", told yes " + c.name
	}
	switch {
	case r.IsError:
		c.err = "the tool: " + r.Content[0].Text
	case r.Content[0].Text != want:
		c.b.violation("%s has the answer %q", c.name, r.Content[0].Text)
	}
}
