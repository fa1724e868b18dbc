package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
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

// call is one call of a client, from its request to the outcome for its caller.
type call struct {
	plan
	s    *session
	b    *book
	name string // of the call, in its arguments and in all its messages
	id   int64

	got     []event
	last    string // the id of the last event
	n       int    // of events
	answers int
	err     string
	cut     time.Time
	stopped bool
	said    string // the last response to a resumption
	resumes int
	trace   []string // the last steps with their times
	began   time.Time
	why     func(c *call) // for one that hangs
}

// make makes the call, and records its outcome.
func (c *call) make(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, c.over)
	defer cancel()
	c.began = time.Now()
	fate, detail := c.run(ctx)
	if fate == hung && c.why != nil {
		c.why(c)
	}
	c.b.end(entry{c.s.id, c.name, c.kind, c.id, c.args.Ask, c.began, time.Now(), fate, c.got}, detail, c.cut)
	c.b.count(c.n, c.resumes)
}

func (c *call) run(ctx context.Context) (fate, detail string) {
	args, _ := json.Marshal(c.args) // its type can be encoded
	resp, err := c.s.do(ctx, http.MethodPost, fmt.Sprintf(
		`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"mark","arguments":%s,"_meta":{"progressToken":"p%d"}}}`, c.id, args, c.id), "")
	if err != nil {
		return c.lost(ctx, err)
	}
	c.did("POST is", resp.StatusCode)
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return c.refused(resp)
	}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			return c.lost(ctx, err)
		}
		c.take(ctx, event{alone, string(text)})
		return c.told(ctx, nil)
	}
	err = c.read(ctx, resp.Body, c.leave)
	c.did("its stream ended with", err, "after", c.last)
	_ = resp.Body.Close()
	if c.leave > 0 && c.answers == 0 && err == nil && c.n >= c.leave {
		return c.resume(ctx)
	}
	return c.told(ctx, err)
}

// did records a step, to explain a call that hangs.
func (c *call) did(what ...any) {
	c.trace = append(c.trace[max(0, len(c.trace)-30):], fmt.Sprint(time.Since(c.began).Round(time.Millisecond), " ", fmt.Sprintln(what...)))
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
		return hung, fmt.Sprintf("%s, after %d events, %s", c.kind, c.n, cmp.Or(c.said, "not resumed"))
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
		if err == nil {
			c.said = fmt.Sprint("the last resumption was ", resp.StatusCode)
			c.did("GET is", resp.StatusCode)
		} else {
			c.did("GET is", err)
		}
		if err == nil && resp.StatusCode == http.StatusOK {
			err = c.read(ctx, resp.Body, 0)
			c.did("its stream ended with", err, "after", c.last)
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

// read reads a stream to its end, or until so many events have arrived.
func (c *call) read(ctx context.Context, body io.Reader, most int) error {
	return events(body, func(e event) bool {
		c.n++
		c.last = e.id
		c.take(ctx, e)
		if c.stop > 0 && c.n >= c.stop && !c.stopped && c.answers == 0 {
			c.stopped = true
			go c.s.tell(ctx, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, c.id))
		}
		return most == 0 || c.n < most || c.answers > 0
	})
}

// take records an event, and answers its question. The checker decides whether it is allowed.
func (c *call) take(ctx context.Context, e event) {
	c.got = append(c.got, e)
	m, err := parse(e.data)
	switch {
	case err != nil:
	case m.Method == "sampling/createMessage":
		go c.s.tell(ctx, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"role":"assistant","model":"m","content":{"type":"text","text":"yes %s"}}}`, m.ID, c.name))
	case m.Method != "":
	case m.Error != nil:
		c.answers++
		c.err = fmt.Sprint(m.Error.Code, " ", m.Error.Message)
	default:
		c.answers++
		if text, isError, err := resultOf(m); err == nil && isError {
			c.err = "the tool: " + text
		}
	}
}
