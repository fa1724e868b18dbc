package registry_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/uritemplate"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/registry"
)

// template makes a group of one resource template.
func template(t *testing.T, name, text string) *registry.Group {
	h := new(server.Handlers)
	h.Template(protocol.ResourceTemplate{URITemplate: text, Name: text},
		func(context.Context, server.Caller, protocol.ReadResourceParams, uritemplate.Values) (*protocol.ReadResourceResult, error) {
			return nil, nil
		})
	return must(t, registry.Definition{Name: name, Handlers: h})
}

// The owner of a uri is the group whose function reads it: of two templates the more specific
// one, of as specific ones that whose text is less, and of equal ones that of the session.
func TestOwnerByTemplates(t *testing.T) {
	for _, c := range []struct{ shared, own, want string }{
		{"a:{x}", "a:{x}", "own"},
		{"a:{x}", "a:{y}", "shared"},
		{"a:{x}", "a:b{x}", "own"},
		{"a:b{x}", "a:{x}", "shared"},
		{"a:b{x}", "c:{x}", "shared"},
		{"c:{x}", "a:b{x}", "own"},
	} {
		s := registry.NewScopes(from(t, template(t, "shared", c.shared)))
		s, err := s.Put("s", from(t, template(t, "own", c.own)))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.View("s").Owner("resources/read", "a:bc"); got != c.want {
			t.Errorf("shared %s, own %s: a:bc is of %q, want %q", c.shared, c.own, got, c.want)
		}
	}
}

// The time of a call that has asked goes on after its question, whatever calls ended before: those
// whose time went on, and those whose time stood still.
func TestHeldTimeAfterOthers(t *testing.T) {
	for _, held := range []bool{false, true} {
		_, r, s := timed(t)
		now := t0
		ask := func(within server.Call) server.Req {
			next, out, err := s.Request(now, protocol.RawRequest{Name: "ping"}, server.RequestOptions{Within: within, Timeout: time.Hour})
			if err != nil {
				t.Fatal(err)
			}
			r, s, _ = r.Step(next, now, out)
			return out.Req
		}
		var out server.Output
		r, s, out = feed(r, s, now, calls(2, "plain"))
		before := out.Opened
		r, s, out = feed(r, s, now, calls(3, "quick"))
		asks := out.Opened
		if held {
			ask(before)
		}
		next, out, err := s.Finish(now, server.Answer{Call: before, Result: protocol.TextResult("x")})
		if err != nil {
			t.Fatal(err)
		}
		r, s, _ = r.Step(next, now, out)
		req := ask(asks)
		now = now.Add(time.Second)
		if next, out, err = s.Cancel(now, req, ""); err != nil {
			t.Fatal(err)
		}
		r, s, _ = r.Step(next, now, out)
		if due, ok := r.NextDeadline(); !ok || !due.Equal(now.Add(20*time.Millisecond)) {
			t.Errorf("held before: %v: due %v, %v", held, due, ok)
		}
		r, s, out = r.Step(s, now.Add(20*time.Millisecond), server.Output{})
		if len(out.Events) == 0 || !errors.Is(out.Events[0].Cause, registry.ErrTimeout) || len(r.Open()) != 0 {
			t.Errorf("held before: %v: %+v, open %v", held, out.Events, r.Open())
		}
	}
}
