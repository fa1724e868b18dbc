package drive

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// calls checks what servers that are not ours have too.
func (r *runner) calls(ctx context.Context) {
	r.check("ping", func() error { return r.s.Ping(ctx) })
	r.check("echo", func() error {
		for _, text := range []string{"grüße, <b> & \"quotes\" \\ \u2028 🙂", strings.Repeat("x", 300_000)} {
			if got, err := r.text(ctx, "echo", map[string]any{"text": text}); err != nil || !strings.Contains(got, text) {
				return fmt.Errorf("got %.100q, %w", got, errors.Join(err))
			}
		}
		return nil
	})
	r.check("progress", func() error { return r.progress(ctx) })
	r.check("sampling within a call", func() error { return r.one(ctx, 1, "the question") })
	for _, action := range []string{"accept", "decline", "cancel"} {
		r.check("elicitation within a call: "+action, func() error {
			r.hooks.answer(action)
			r.hooks.fillWith(r.form)
			got, err := r.text(ctx, "confirm", map[string]any{"message": "really?"})
			if err == nil && !strings.Contains(got, action) {
				err = fmt.Errorf("got %q", got)
			}
			return err
		})
	}
	if r.form == nil { // server-everything has no such tool
		r.check("list changes: announced on the GET stream, and the list is another one", func() error { return r.listed(ctx) })
	}
	r.check("ping is answered while a tool runs", func() error { return r.overlap(ctx) })
	r.check("cancelling leaves the session usable", func() error { return r.cancelled(ctx) })
	r.overHTTP(ctx)
}

// bare checks what a server has that sends nothing but answers, or knows no sessions.
func (r *runner) bare(ctx context.Context) {
	r.check("ping", func() error { return r.s.Ping(ctx) })
	r.check("echo", func() error { return r.one(ctx, 0, strings.Repeat("grüße 🙂 ", 30_000)) })
	r.check("unknown tool", func() error {
		_, err := r.s.Call(ctx, "no-such-tool", nil, nil)
		return r.code(err, invalidParams)
	})
	r.check("ping is answered while a tool runs", func() error { return r.overlap(ctx) })
	r.check("sixteen calls at once", func() error { return r.parallel(ctx) })
	r.check("cancelling leaves the session usable", func() error { return r.cancelled(ctx) })
	r.check("closing", func() error { return r.s.Close() })
}

// oneway checks what needs no requests of the server.
func (r *runner) oneway(ctx context.Context) {
	r.check("ping", func() error { return r.s.Ping(ctx) })
	r.check("echo", func() error { return r.one(ctx, 0, "grüße 🙂") })
	r.check("progress", func() error { return r.progress(ctx) })
	r.check("list changes: announced, and the list is another one", func() error { return r.listed(ctx) })
	r.check("ping is answered while a tool runs", func() error { return r.overlap(ctx) })
	r.check("sixteen calls at once", func() error { return r.parallel(ctx) })
	r.check("cancelling leaves the session usable", func() error { return r.cancelled(ctx) })
	r.check("closing", func() error { return r.s.Close() })
}

// listed has a tool come and go.
func (r *runner) listed(ctx context.Context) error {
	for _, there := range []bool{true, false} {
		if err := r.told(ctx, "toggle", nil, listChanged, ""); err != nil {
			return err
		}
		tools, err := r.s.List(ctx, "tools")
		if err != nil {
			return err
		}
		found := false
		for _, t := range tools {
			found = found || t.Name == "extra"
		}
		if found != there {
			return fmt.Errorf("the tool is to be there: %v, listed: %v", there, tools)
		}
	}
	return nil
}

func (r *runner) cancelled(ctx context.Context) error {
	c, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	if _, err := r.s.Call(c, "slow", map[string]any{"ms": 700, "steps": 7}, nil); err == nil {
		return errors.New("the call was not cancelled")
	}
	time.Sleep(800 * time.Millisecond)
	return r.one(ctx, 0, "still here")
}

// everything is a session with server-everything, whose tools have other names.
type everything struct{ Session }

// formOfEverything fills in what has to be of the form of server-everything; the rest of
// it has defaults.
var formOfEverything = map[string]any{"name": "me"}

func (e everything) Call(ctx context.Context, tool string, args map[string]any, progress func(float64)) (Result, error) {
	switch tool {
	case "echo":
		args = map[string]any{"message": args["text"]}
	case "slow":
		ms, _ := args["ms"].(int)
		tool, args = "trigger-long-running-operation", map[string]any{"duration": float64(ms) / 1000, "steps": args["steps"]}
	case "ask":
		tool = "trigger-sampling-request"
	case "confirm":
		tool, args = "trigger-elicitation-request", nil
	}
	return e.Session.Call(ctx, tool, args, progress)
}
