package drive

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	listChanged = "notifications/tools/list_changed"
	// ExpireText is in the call before which the session is ended.
	ExpireText = "the session ends here"
	// A client that was cut off comes back within that time, as a rule after a second.
	back  = 10 * time.Second
	again = 1500 * time.Millisecond
)

// overHTTP checks what is about HTTP, last that the session ends with the client.
func (r *runner) overHTTP(ctx context.Context) {
	r.check(manyQuestions, func() error { return r.twenty(ctx) })
	if r.srv.SSE {
		r.these(ctx, "closing")
		return
	}
	r.check("the session ends when the client leaves", func() error {
		id := r.s.ID()
		if err := r.s.Close(); err != nil {
			return fmt.Errorf("close: %w", err)
		}
		return r.gone(ctx, id)
	})
}

// cuts checks that nothing is lost and nothing comes twice when streams break off. What
// stands between the two has to do that.
func (r *runner) cuts(ctx context.Context) {
	if r.form != nil {
		r.cutsOfEverything(ctx)
		return
	}
	r.these(ctx, "progress")
	r.check("sampling: asked once, and the answer arrives", func() error {
		err := r.one(ctx, 1, "one")
		time.Sleep(quiet)
		return errors.Join(err, askedFor(r.hooks.asked(), "one"))
	})
	r.hooks.answer("accept")
	r.check("elicitation: asked, and the answer arrives", func() error { return r.one(ctx, 2, "really?") })
	r.check("list changes: each is announced once", func() error { return r.announced(ctx) })
	r.check(manyQuestions, func() error { return r.twenty(ctx) })
	r.check("the session goes on", func() error { return r.one(ctx, 0, "still here") })
	r.these(ctx, "closing")
}

// cutsOfEverything checks less: that server sends again what came on other streams, some
// of which is no message.
func (r *runner) cutsOfEverything(ctx context.Context) {
	r.check("the result comes", func() error {
		got, err := r.text(ctx, "slow", map[string]any{"ms": 200, "steps": 4})
		if err == nil && !strings.Contains(got, "completed") {
			err = fmt.Errorf("got %q", got)
		}
		return err
	})
	r.check("sampling: the answer arrives", func() error { return r.one(ctx, 1, "one") })
	r.check("the session goes on", func() error { return r.one(ctx, 0, "still here") })
	r.these(ctx, "closing")
}

// announced has a tool come and go.
func (r *runner) announced(ctx context.Context) error {
	if _, err := r.s.List(ctx, "tools"); err != nil { // who has not read the list need not be told
		return err
	}
	for range 2 {
		if _, err := r.text(ctx, "toggle", nil); err != nil {
			return err
		}
		if got := len(r.hooks.take(listChanged, 1, back)); got != 1 {
			return fmt.Errorf("announced %d times", got)
		}
		if got := len(r.hooks.take(listChanged, 0, again)); got != 0 {
			return fmt.Errorf("announced %d times more", got)
		}
	}
	return nil
}

// expires checks what becomes of a session that the server does not have any more. What
// stands between the two ends it.
func (r *runner) expires(ctx context.Context) {
	r.check("a call", func() error { return r.one(ctx, 0, "before") })
	id := r.s.ID()
	_, reopens := r.s.(interface{ Reopens() })
	var running sync.WaitGroup
	var ended atomic.Int32
	if reopens {
		for range 10 {
			running.Go(func() {
				if _, err := r.text(ctx, "slow", map[string]any{"ms": 20_000, "steps": 100}); err != nil {
					ended.Add(1)
				}
			})
		}
		time.Sleep(quiet)
	}
	r.check("a call of the ended session fails", func() error {
		c, cancel := context.WithTimeout(ctx, back)
		defer cancel()
		got, err := r.text(c, "echo", map[string]any{"text": ExpireText})
		if err == nil {
			return fmt.Errorf("got %q", got)
		}
		return c.Err()
	})
	if reopens {
		r.check("calls that ran fail too", func() error {
			begin := time.Now()
			running.Wait()
			if n, late := ended.Load(), time.Since(begin) > back; n != 10 || late {
				return fmt.Errorf("%d failed, late: %v", n, late)
			}
			return nil
		})
	}
	if !r.srv.SSE {
		r.check("the session is unknown", func() error { return r.gone(ctx, id) })
	}
	if reopens {
		r.check("the client opens another session by itself", func() error {
			if err := r.one(ctx, 0, "by itself"); err != nil {
				return err
			}
			if r.s.ID() == id && !r.srv.SSE {
				return errors.New("the id is the same")
			}
			return nil
		})
	}
	_ = r.s.Close()
	r.check("another session", func() error { return r.initialize(ctx) })
	r.check("works, and has another id", func() error {
		err := r.one(ctx, 0, "after")
		if another := r.s.ID(); err == nil && (another == id || another == "") && !r.srv.SSE {
			err = fmt.Errorf("the ids are %q and %q", id, another)
		}
		return err
	})
	r.these(ctx, "closing")
}

// gone checks that the server does not know a session.
func (r *runner) gone(ctx context.Context, id string) error {
	if id == "" {
		return errors.New("there was no session id")
	}
	body := strings.NewReader(`{"jsonrpc":"2.0","id":"gone","method":"ping"}`)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.srv.URL, body)
	if err != nil {
		return err
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Session-Id": id, "Mcp-Protocol-Version": r.want,
	} {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusNotFound && !(r.form != nil && resp.StatusCode == http.StatusBadRequest) { // server-everything
		return fmt.Errorf("a ping of the session has status %d", resp.StatusCode)
	}
	return nil
}

// twenty makes calls of four kinds at once.
func (r *runner) twenty(ctx context.Context) error {
	const n = 20
	before := len(r.hooks.asked())
	r.hooks.answer("accept")
	r.hooks.fillWith(r.form)
	errs := make([]error, n)
	var want []string
	var wg sync.WaitGroup
	for i := range n {
		text := fmt.Sprintf("text number %d.", i)
		if i%4 == 1 {
			want = append(want, text)
		}
		wg.Go(func() { errs[i] = r.one(ctx, i%4, text) })
	}
	wg.Wait()
	return errors.Join(append(errs, askedFor(r.hooks.asked()[before:], want...))...)
}

// askedFor checks that the model was asked for each prompt once. Some servers put words of
// their own before it.
func askedFor(asked []string, prompts ...string) error {
	for _, p := range prompts {
		if !slices.ContainsFunc(asked, func(text string) bool { return strings.HasSuffix(text, p) }) {
			return fmt.Errorf("asked %q, and not %q", asked, p)
		}
	}
	if len(asked) != len(prompts) {
		return fmt.Errorf("asked %q, want %q", asked, prompts)
	}
	return nil
}

// one makes a call of a kind, and checks its answer.
func (r *runner) one(ctx context.Context, kind int, text string) error {
	var got, want string
	var err error
	switch kind {
	case 0:
		want = text
		got, err = r.text(ctx, "echo", map[string]any{"text": text})
	case 1:
		want = Answer
		got, err = r.text(ctx, "ask", map[string]any{"prompt": text})
	case 2:
		want = "accept"
		got, err = r.text(ctx, "confirm", map[string]any{"message": text})
	default:
		return r.progress(ctx)
	}
	if err == nil && !strings.Contains(got, want) {
		err = fmt.Errorf("got %q, want %q", got, want)
	}
	return err
}
