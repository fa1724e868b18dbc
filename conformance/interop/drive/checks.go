package drive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	methodNotFound   = -32601
	invalidParams    = -32602
	resourceNotFound = -32002
)

type runner struct {
	s              Session
	hooks          *Hooks
	connect        Connect
	srv            *Server
	want           string         // the revision
	form           map[string]any // what a form is filled in with, if not made up
	lossy          bool           // the server loses progress while a stream is broken
	passed, failed int
}

func (r *runner) check(name string, f func() error) {
	if err := f(); err != nil {
		r.failed++
		fmt.Printf("FAIL %s: %v\n", name, err)
		return
	}
	r.passed++
	fmt.Println("ok  ", name)
}

// errTool is the error of text for a tool that failed.
var errTool = errors.New("an error result")

// text calls a tool that has to succeed and returns its text.
func (r *runner) text(ctx context.Context, tool string, args map[string]any) (string, error) {
	res, err := r.s.Call(ctx, tool, args, nil)
	if err == nil && res.IsError {
		err = fmt.Errorf("%s gave %w: %s", tool, errTool, res.Text)
	}
	return res.Text, err
}

func (r *runner) code(err error, want int) error {
	if err == nil {
		return errors.New("accepted")
	}
	if got := r.s.Code(err); got != want {
		return fmt.Errorf("code %d, want %d (%v)", got, want, err)
	}
	return nil
}

func (r *runner) all(ctx context.Context) {
	s := r.s
	lists := map[string][]Item{}
	r.these(ctx, "ping")
	r.check("lists to the end", func() error {
		for _, kind := range []string{"tools", "resources", "templates", "prompts"} {
			items, err := s.List(ctx, kind)
			if err != nil {
				return fmt.Errorf("%s: %w", kind, err)
			}
			if len(items) == 0 {
				return fmt.Errorf("no %s", kind)
			}
			lists[kind] = items
		}
		for _, name := range []string{"echo", "slow", "ask", "confirm", "roots", "fail", "content", "toggle", "write", "log"} {
			if !slices.ContainsFunc(lists["tools"], func(i Item) bool { return i.Name == name }) {
				return fmt.Errorf("tool %s is not listed", name)
			}
		}
		return nil
	})
	r.these(ctx, "echo", everyContent, failing, "progress")
	r.questions(ctx)
	r.items(ctx, lists)
	r.these(ctx, "unknown tool")
	r.check("unknown resource", func() error {
		_, err := s.Read(ctx, "nowhere://at-all")
		return r.code(err, resourceNotFound)
	})
	r.these(ctx, "unknown method", pinged, sixteen, usable)
}

// questions checks what a server asks within a call.
func (r *runner) questions(ctx context.Context) {
	r.check("sampling: asked once, and the answer arrives", func() error { return errors.Join(r.one(ctx, 1, "one"), askedFor(r.hooks.asked(), "one")) })
	for _, action := range []string{"accept", "decline", "cancel"} {
		r.check("elicitation within a call: "+action, func() error {
			r.hooks.answer(action)
			got, err := r.text(ctx, "confirm", map[string]any{"message": "really?"})
			if err != nil {
				return err
			}
			keys := r.hooks.filled()
			if (action == "accept") != (len(keys) > 0) {
				return fmt.Errorf("%s was answered with content %q", action, keys)
			}
			for _, want := range append(keys, action) {
				if !strings.Contains(got, want) {
					return fmt.Errorf("no %q in %q", want, got)
				}
			}
			return nil
		})
	}
	r.check("roots within a call", func() error {
		got, err := r.text(ctx, "roots", nil)
		if err == nil && !strings.Contains(got, RootURI) {
			err = fmt.Errorf("got %q", got)
		}
		return err
	})
}

func first(items []Item) Item {
	if len(items) == 0 {
		return Item{}
	}
	return items[0]
}

func (r *runner) progress(ctx context.Context) error {
	const steps = 4
	var mu sync.Mutex
	var seen []float64
	res, err := r.s.Call(ctx, "slow", map[string]any{"ms": 200, "steps": steps}, func(p float64) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, p)
	})
	if err != nil || res.IsError || res.Text == "" {
		return fmt.Errorf("result %+v, %v", res, err)
	}
	// An SDK may hand a notification over a little after the result that follows it.
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		mu.Lock()
		n := len(seen)
		mu.Unlock()
		if n >= steps {
			break
		}
	}
	mu.Lock()
	defer mu.Unlock()
	n := len(seen)
	if !slices.IsSorted(seen) || len(slices.Compact(slices.Clone(seen))) != n || n > steps || n < steps && !r.lossy {
		return fmt.Errorf("%d steps gave progress %v", steps, seen)
	}
	return nil
}

func (r *runner) overlap(ctx context.Context) error {
	done := make(chan error, 1)
	go func() {
		_, err := r.text(ctx, "slow", map[string]any{"ms": 600, "steps": 2})
		done <- err
	}()
	time.Sleep(100 * time.Millisecond)
	if err := r.s.Ping(ctx); err != nil {
		return err
	}
	select {
	case <-done:
		return errors.New("the ping waited for the tool")
	default:
		return <-done
	}
}

func (r *runner) parallel(ctx context.Context) error {
	errs := make(chan error)
	const n = 16
	for i := range n {
		go func() {
			want := fmt.Sprintf("text number %d.", i)
			got, err := r.text(ctx, "echo", map[string]any{"text": want})
			if err == nil && !strings.Contains(got, want) {
				err = fmt.Errorf("asked for %q, got %q", want, got)
			}
			errs <- err
		}()
	}
	var all error
	for range n {
		all = errors.Join(all, <-errs)
	}
	return all
}
