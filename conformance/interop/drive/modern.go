package drive

import (
	"context"
	"fmt"
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
	r.these(ctx, "progress", everyContent, failing)
	r.items(ctx, lists)
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
