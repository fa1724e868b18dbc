package drive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	noteURI = "example://note"
	// A notification that was not to come is waited for that long.
	quiet = 100 * time.Millisecond
	soon  = 3 * time.Second
)

// features checks what the server tells the client without being asked, and what it
// asks the client again.
func (r *runner) features(ctx context.Context) {
	r.check(toolChanges, func() error { return r.listChanges(ctx, true) })
	r.check(updates, func() error { return r.subscriptions(ctx) })
	r.check("elicitation: an answer that breaks the form is not taken", func() error {
		r.hooks.answer("break")
		res, err := r.s.Call(ctx, "confirm", map[string]any{"message": "really?"}, nil)
		if err == nil && !res.IsError {
			err = fmt.Errorf("got %+v", res)
		}
		return err
	})
	r.check("roots: asked once, and again after a change", func() error { return r.rootChanges(ctx) })
	r.these(ctx, completes)
	r.check("completion: no more than 100", func() error {
		c, err := r.s.Complete(ctx, "example://square/{n}", "n", "", nil)
		if err == nil && (len(c.Values) != 100 || c.Values[99] != "99" || !c.HasMore || c.Total != 1000) {
			err = fmt.Errorf("%d values of %d, more: %v", len(c.Values), c.Total, c.HasMore)
		}
		return err
	})
	r.check("completion: of what does not exist", func() error {
		_, err := r.s.Complete(ctx, "no-such-prompt", "name", "", nil)
		return r.code(err, invalidParams)
	})
	r.check("logging: what is below the level does not come", func() error { return r.logging(ctx) })
}

// completion checks that a completion follows what is known.
func (r *runner) completion(ctx context.Context) error {
	for language, want := range map[string]string{"": "Alan", "French": "Alain"} {
		var known map[string]string
		if language != "" {
			known = map[string]string{"language": language}
		}
		c, err := r.s.Complete(ctx, "greet", "name", "Al", known)
		if err != nil {
			return err
		}
		if !slices.Equal(c.Values, []string{want}) || c.HasMore {
			return fmt.Errorf("in %q got %+v", language, c)
		}
	}
	return nil
}

// told calls a tool and checks which notifications of a method it led to.
func (r *runner) told(ctx context.Context, tool string, args map[string]any, method string, want ...string) error {
	r.hooks.take(method, 0, 0)
	if _, err := r.text(ctx, tool, args); err != nil {
		return err
	}
	within := soon
	if len(want) == 0 {
		within = quiet
	}
	if got := r.hooks.take(method, len(want), within); !slices.Equal(got, want) {
		return fmt.Errorf("after %s %v: %s came with %q, want %q", tool, args, method, got, want)
	}
	return nil
}

// listChanges has a tool come and go, which can be called while it is there.
func (r *runner) listChanges(ctx context.Context, call bool) error {
	for _, there := range []bool{true, false} {
		if err := r.told(ctx, "toggle", nil, listChanged, ""); err != nil {
			return err
		}
		tools, err := r.s.List(ctx, "tools")
		if err != nil {
			return err
		}
		if slices.ContainsFunc(tools, func(i Item) bool { return i.Name == "extra" }) != there {
			return fmt.Errorf("the tool is to be there: %v, listed: %v", there, tools)
		}
		switch {
		case !call:
		case there:
			_, err = r.text(ctx, "extra", nil)
		default:
			err = r.refuses(ctx, "extra")
		}
		if err != nil {
			return fmt.Errorf("the tool is to be there: %v: %w", there, err)
		}
	}
	return nil
}

func (r *runner) subscriptions(ctx context.Context) error {
	const updated = "notifications/resources/updated"
	write := func(text string, want ...string) error {
		err := r.told(ctx, "write", map[string]any{"text": text}, updated, want...)
		if err != nil {
			return err
		}
		contents, err := r.s.Read(ctx, noteURI)
		if err == nil && !slices.Equal(contents, []string{text}) {
			err = fmt.Errorf("wrote %q, read %q", text, contents)
		}
		return err
	}
	if err := write("before"); err != nil {
		return err
	}
	if err := r.s.Subscribe(ctx, noteURI); err != nil {
		return err
	}
	if err := write("meanwhile", noteURI); err != nil {
		return err
	}
	if err := r.s.Unsubscribe(ctx, noteURI); err != nil {
		return err
	}
	return write("after")
}

func (r *runner) rootChanges(ctx context.Context) error {
	ask := func() (string, int, error) {
		text, err := r.text(ctx, "roots", nil)
		return text, r.hooks.asksForRoots(), err
	}
	before, first, err := ask()
	if err != nil {
		return err
	}
	same, second, err := ask()
	if err != nil {
		return err
	}
	const added = "file:///tmp/interop-added"
	if err := r.s.AddRoot(ctx, added); err != nil {
		return err
	}
	after, third, err := ask()
	switch {
	case err != nil:
		return err
	case first == 0:
		return errors.New("roots/list did not come")
	case before != RootURI || same != before || second != first && r.srv.URL == "": // httpserver keeps none
		return fmt.Errorf("without a change: asked %d and then %d times, got %q and then %q", first, second, before, same)
	case !strings.Contains(after, RootURI) || !strings.Contains(after, added) || third != second+1:
		return fmt.Errorf("after a change: asked %d and then %d times, got %q", second, third, after)
	}
	return nil
}

func (r *runner) logging(ctx context.Context) error {
	if err := r.s.SetLevel(ctx, "warning"); err != nil {
		return err
	}
	for _, step := range []struct {
		level string
		want  []string
	}{{"info", nil}, {"warning", []string{"text"}}, {"error", []string{"text"}}} {
		args := map[string]any{"level": step.level, "text": "text"}
		if err := r.told(ctx, "log", args, "notifications/message", step.want...); err != nil {
			return err
		}
	}
	return r.code(r.s.SetLevel(ctx, "loud"), invalidParams)
}
