package drive

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const (
	newest       = "2025-11-25"
	pageRequired = -32042
	complete     = "notifications/elicitation/complete"
	site         = "https://example.com/" // and the name of the server
	icon         = "https://example.com/icon.svg"
)

// Me is what the client says of itself.
var Me = Info{Title: "A client", Description: "Checks a server.", Website: "https://example.com/interop", Icon: "https://example.com/interop.png"}

var toolName = regexp.MustCompile(`^[A-Za-z0-9_./-]{1,128}$`)

// newest checks what came with 2025-11-25.
func (r *runner) newest(ctx context.Context) {
	r.check("what the server says of itself", func() error {
		if got := r.s.Server(); got.Title != "Example server" || got.Description == "" || !strings.HasPrefix(got.Website, site) || got.Icon != icon {
			return fmt.Errorf("got %+v", got)
		}
		return nil
	})
	r.check("what the client says of itself arrives", func() error {
		got, err := r.text(ctx, "who", nil)
		for _, want := range []string{Me.Title, Me.Description, Me.Website, Me.Icon} {
			if err == nil && !strings.Contains(got, want) {
				err = fmt.Errorf("no %q in %s", want, got)
			}
		}
		return err
	})
	r.check("the names of tools and their icons", func() error {
		tools, err := r.s.List(ctx, "tools")
		if err != nil {
			return err
		}
		for _, t := range tools {
			if want := map[string]string{"echo": icon}[t.Name]; !toolName.MatchString(t.Name) || t.Icon != want {
				return fmt.Errorf("%+v", t)
			}
		}
		return nil
	})
	r.check("elicitation: choices of all kinds", func() error {
		got, err := r.chosen(ctx, map[string]any{"size": "l", "fruits": []string{"plum", "cherry"}, "extras": []string{"ice"}, "glasses": 3, "name": "me"})
		if err == nil && got != `{"action":"accept","content":{"extras":["ice"],"fruits":["plum","cherry"],"glasses":3,"name":"me","size":"l"}}` {
			err = fmt.Errorf("got %s", got)
		}
		form := r.hooks.form()
		for _, want := range []string{`"const":"l"`, `"title":"Large"`, `"oneOf":`, `"anyOf":`, `"maxItems":2`, `"default":["apple"]`, `"default":"Ada"`} {
			if err == nil && !strings.Contains(form, want) {
				err = fmt.Errorf("no %s in the form %s", want, form)
			}
		}
		return err
	})
	for what, fruits := range map[string][]string{"too many": {"apple", "plum", "cherry"}, "none": {}, "another one": {"pear"}} {
		r.check("elicitation: a choice that the form does not have is not taken: "+what, func() error {
			got, err := r.chosen(ctx, map[string]any{"fruits": fruits})
			if err == nil {
				err = fmt.Errorf("taken: %s", got)
			} else if errors.Is(err, errTool) {
				err = nil
			}
			return err
		})
	}
	if r.s.FillsDefaults() {
		r.check("elicitation: what is not filled in has its default", func() error {
			got, err := r.chosen(ctx, map[string]any{"fruits": []string{"plum"}})
			if err == nil && got != `{"action":"accept","content":{"extras":[],"fruits":["plum"],"glasses":2,"name":"Ada","size":"m"}}` {
				err = fmt.Errorf("got %s", got)
			}
			return err
		})
	}
	for _, action := range []string{"accept", "decline", "cancel"} {
		r.check("elicitation by url: "+action, func() error { return r.visit(ctx, action) })
	}
	r.check("elicitation by url: a call that needs it, and again when it is done", func() error { return r.account(ctx) })
	r.check("sampling with tools", func() error {
		got, err := r.text(ctx, "reason", map[string]any{"prompt": "the sum"})
		if tools := r.hooks.used(); err == nil && (got != "The tool says 3" || !slices.Equal(tools, []string{"add"})) {
			err = fmt.Errorf("got %q, with the tools %q", got, tools)
		}
		return err
	})
}

// older checks that a session of an older revision has nothing of that.
func (r *runner) older(ctx context.Context) {
	r.check("what the server says of itself is what the revision has", func() error {
		if got := r.s.Server(); got != (Info{Title: "Example server"}) {
			return fmt.Errorf("got %+v", got)
		}
		return nil
	})
	for _, tool := range []string{"choose", "visit", "account"} {
		r.check("what the revision does not have makes an error of the tool: "+tool, func() error {
			res, err := r.s.Call(ctx, tool, nil, nil)
			if err == nil && !res.IsError {
				err = fmt.Errorf("got %+v", res)
			}
			return err
		})
	}
	r.check("sampling without the tools that the revision does not have", func() error {
		got, err := r.text(ctx, "reason", map[string]any{"prompt": "the sum"})
		if tools := r.hooks.used(); err == nil && (got != Answer || len(tools) != 0) {
			err = fmt.Errorf("got %q, with the tools %q", got, tools)
		}
		return err
	})
}

// chosen calls the tool that has the user choose, and fills its form in.
func (r *runner) chosen(ctx context.Context, content map[string]any) (string, error) {
	r.hooks.answer("accept")
	r.hooks.fillWith(content)
	return r.text(ctx, "choose", nil)
}

func (r *runner) visit(ctx context.Context, action string) error {
	r.hooks.answer(action)
	r.hooks.take(complete, 0, 0)
	got, err := r.text(ctx, "visit", nil)
	if err != nil {
		return err
	}
	url, id := r.hooks.visited()
	var want []string
	within := quiet
	if action == "accept" {
		want, within = []string{id}, soon
	}
	if done := r.hooks.take(complete, len(want), within); !slices.Equal(done, want) {
		return fmt.Errorf("%s of %q: done are %q", action, id, done)
	}
	if id == "" || url != "https://example.com/visit/"+id || got != `{"action":"`+action+`"}` {
		return fmt.Errorf("sent to %q, answered %s", url, got)
	}
	return nil
}

func (r *runner) account(ctx context.Context) error {
	r.hooks.take(complete, 0, 0)
	_, err := r.s.Call(ctx, "account", nil, nil)
	if err := r.code(err, pageRequired); err != nil {
		return err
	}
	ids := r.s.Pages(err)
	if len(ids) != 1 || ids[0] == "" {
		return fmt.Errorf("the error has the pages %q: %w", ids, err)
	}
	if done := r.hooks.take(complete, 1, soon); !slices.Equal(done, ids) {
		return fmt.Errorf("asked for %q, done are %q", ids, done)
	}
	got, err := r.text(ctx, "account", nil)
	if err == nil && got != "signed in" {
		err = fmt.Errorf("got %q", got)
	}
	return err
}
