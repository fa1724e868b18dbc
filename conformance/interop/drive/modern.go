package drive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// modern checks requests without a session: all that our server does.
func (r *runner) modern(ctx context.Context) {
	s := r.s
	r.questions(ctx)
	r.these(ctx, manyQuestions, toolChanges, updates, completes)
	lists := map[string][]Item{}
	r.check("lists to the end", func() (err error) {
		for _, kind := range []string{"tools", "resources", "templates", "prompts"} {
			if lists[kind], err = s.List(ctx, kind); err != nil || len(lists[kind]) == 0 {
				return fmt.Errorf("%d %s: %w", len(lists[kind]), kind, err)
			}
		}
		return nil
	})
	r.these(ctx, "progress")
	r.check("every kind of content", func() error {
		res, err := s.Call(ctx, "content", nil, nil)
		for _, kind := range []string{"text", "image", "audio", "resource_link", "resource"} {
			if err == nil && !slices.Contains(res.Kinds, kind) {
				err = fmt.Errorf("no %s in %v", kind, res.Kinds)
			}
		}
		return err
	})
	r.check("a failing tool is a result", func() error {
		res, err := s.Call(ctx, "fail", map[string]any{"message": "it broke"}, nil)
		if err == nil && (!res.IsError || !strings.Contains(res.Text, "it broke")) {
			err = fmt.Errorf("got %+v", res)
		}
		return err
	})
	r.check("resources/read", func() error {
		contents, err := s.Read(ctx, first(lists["resources"]).URI)
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
		n, err := s.Prompt(ctx, p.Name, args)
		if err == nil && n == 0 {
			err = errors.New("no messages")
		}
		return err
	})
	r.modernBare(ctx)
}

// modernCalls checks what servers that are not ours have too, if they have changes to tell.
func (r *runner) modernCalls(ctx context.Context) {
	r.questions(ctx)
	r.these(ctx, "progress", manyQuestions, toolChanges)
	r.modernBare(ctx)
}

// modernBare checks what servers have that send nothing but answers.
func (r *runner) modernBare(ctx context.Context) {
	r.check("there is no session", func() error {
		if id := r.s.ID(); id != "" {
			return fmt.Errorf("its id is %q", id)
		}
		return nil
	})
	r.these(ctx, "echo", "unknown tool", "unknown method", sixteen, usable)
	if r.srv.URL == "" {
		r.exits()
		return
	}
	r.these(ctx, "closing")
}
