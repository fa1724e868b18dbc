package drive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// common are checks that several modes have, by name.
var common = map[string]func(*runner, context.Context) error{
	"ping":         func(r *runner, ctx context.Context) error { return r.s.Ping(ctx) },
	"echo":         func(r *runner, ctx context.Context) error { return r.one(ctx, 0, strings.Repeat(odd, 10_000)) },
	"progress":     (*runner).progress,
	pinged:         (*runner).overlap,
	sixteen:        (*runner).parallel,
	usable:         (*runner).cancelled,
	"closing":      func(r *runner, _ context.Context) error { return r.s.Close() },
	completes:      (*runner).completion,
	updates:        (*runner).subscriptions,
	manyQuestions:  (*runner).twenty,
	toolChanges:    func(r *runner, ctx context.Context) error { return r.listChanges(ctx, false) },
	"unknown tool": func(r *runner, ctx context.Context) error { return r.refuses(ctx, "no-such-tool") },
	everyContent: func(r *runner, ctx context.Context) error {
		res, err := r.s.Call(ctx, "content", nil, nil)
		for _, kind := range []string{"text", "image", "audio", "resource_link", "resource"} {
			if err == nil && !slices.Contains(res.Kinds, kind) {
				err = fmt.Errorf("no %s in %v", kind, res.Kinds)
			}
		}
		return err
	},
	failing: func(r *runner, ctx context.Context) error {
		res, err := r.s.Call(ctx, "fail", map[string]any{"message": "it broke"}, nil)
		if err == nil && (!res.IsError || !strings.Contains(res.Text, "it broke")) {
			err = fmt.Errorf("got %+v", res)
		}
		return err
	},
	"sampling":       func(r *runner, ctx context.Context) error { return r.one(ctx, 1, "the question") },
	"unknown method": func(r *runner, ctx context.Context) error { return r.code(r.s.Request(ctx, "no/such"), methodNotFound) },
}

const (
	odd         = "grüße, <b> & \"quotes\" \\ \u2028 🙂"
	pinged      = "ping is answered while a tool runs"
	sixteen     = "sixteen calls at once"
	usable      = "cancelling leaves the session usable"
	toolChanges = "list changes: announced, and the list is another one"
	completes   = "completion: the context counts"
	updates     = "subscriptions: updates come while subscribed, and only then"

	everyContent  = "every kind of content"
	failing       = "a failing tool is a result"
	manyQuestions = "twenty calls at once, with progress and questions"
)

// these runs common checks.
func (r *runner) these(ctx context.Context, names ...string) {
	for _, name := range names {
		r.check(name, func() error { return common[name](r, ctx) })
	}
}

// items reads the first resource and gets the first prompt of the lists.
func (r *runner) items(ctx context.Context, lists map[string][]Item) {
	r.check("resources/read", func() error {
		contents, err := r.s.Read(ctx, first(lists["resources"]).URI)
		if err == nil && len(contents) == 0 {
			err = errors.New("no contents")
		}
		return err
	})
	r.check("prompts/get", func() error {
		p, args := first(lists["prompts"]), map[string]string{}
		for _, a := range p.Required {
			args[a] = "value"
		}
		n, err := r.s.Prompt(ctx, p.Name, args)
		if err == nil && n == 0 {
			err = errors.New("no messages")
		}
		return err
	})
}

// calls checks what servers that are not ours have too.
func (r *runner) calls(ctx context.Context) {
	r.these(ctx, "ping", "echo", "progress", "sampling")
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
		r.these(ctx, toolChanges)
	}
	r.these(ctx, pinged, usable)
	r.overHTTP(ctx)
}

// bare checks what a server has that sends nothing but answers, or knows no sessions.
func (r *runner) bare(ctx context.Context) {
	r.these(ctx, "ping", "echo", "unknown tool", pinged, sixteen, usable, "closing")
}

// oneway checks what needs no requests of the server.
func (r *runner) oneway(ctx context.Context) {
	r.these(ctx, "ping", "echo", "progress", toolChanges, pinged, sixteen, usable, "closing")
}

// refuses checks that a call of a tool is an error of its params.
func (r *runner) refuses(ctx context.Context, tool string) error {
	_, err := r.s.Call(ctx, tool, nil, nil)
	return r.code(err, invalidParams)
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
