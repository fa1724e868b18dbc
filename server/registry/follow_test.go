package registry_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/registry"
	"github.com/sansmcp/mcp/server/stdio"
)

// Over stdio a tool has its time: one of 50 ms is answered for after 50 ms, another of its group
// after the group's 30 s, and one that asks a person has what that person needs beside.
func TestTimeoutsOverStdio(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waits := func(ctx context.Context, _ server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}
		asks := func(ctx context.Context, c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
			time.Sleep(20 * time.Millisecond)
			if _, err := c.Request(ctx, protocol.ElicitParams{Message: "who?", RequestedSchema: protocol.ElicitSchema{Properties: []protocol.Property{}}}, server.RequestOptions{}); err != nil {
				return nil, err
			}
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}
		v := from(t, must(t, registry.Definition{Name: "g", Tools: []registry.Tool{
			{Tool: protocol.Tool{Name: "brief"}, Func: waits, Timeout: 50 * time.Millisecond},
			{Tool: protocol.Tool{Name: "plain"}, Func: waits},
			{Tool: protocol.Tool{Name: "asks"}, Func: asks, Timeout: 50 * time.Millisecond},
		}})).View()
		in, peer := io.Pipe()
		lines, out := io.Pipe()
		served := make(chan error, 1)
		go func() {
			served <- stdio.Serve(context.Background(), v.Config(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}}), v.Handlers(), in, out, stdio.Options{
				Companion: func(server.Peer) server.Companion { return v.Companion() },
			})
		}()
		scan := bufio.NewScanner(lines)
		say := func(m string) { _, _ = peer.Write([]byte(m + "\n")) }
		next := func(want string) {
			t.Helper()
			if !scan.Scan() || !strings.Contains(scan.Text(), want) {
				t.Fatalf("got %s, want %s", scan.Text(), want)
			}
		}
		call := func(id, tool string) {
			say(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `"}}`)
		}
		say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}`)
		next(`"id":0`)
		say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		for tool, d := range map[string]time.Duration{"brief": 50 * time.Millisecond, "plain": 30 * time.Second} {
			began := time.Now()
			call("1", tool)
			next(`{"content":[{"type":"text","text":"the tool timed out after ` + d.String() + `; it may have had effects"}],"isError":true}`)
			if took := time.Since(began); took != d {
				t.Errorf("%s took %v", tool, took)
			}
		}
		began := time.Now()
		call("2", "asks")
		next(`"method":"elicitation/create"`)
		time.Sleep(5 * time.Minute)
		say(`{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{}}}`)
		next("timed out after 50ms")
		if took := time.Since(began); took != 5*time.Minute+50*time.Millisecond {
			t.Errorf("a tool that asks took %v", took)
		}
		call("3", "asks") // a person who says nothing has Timeouts.Human
		next(`"method":"elicitation/create"`)
		began = time.Now()
		next(`notifications/cancelled`)
		if took := time.Since(began); took != 10*time.Minute {
			t.Errorf("the person had %v", took)
		}
		next(`"id":3`)
		peer.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
		time.Sleep(time.Minute) // for the goroutines that have run functions
	})
}

// A Follow offers a session what is newest, as far as the session declared its kind, and its steps
// count from Commit on.
func TestFollow(t *testing.T) {
	first := from(t, group(t, "g", "x", "y"))
	v := first.View()
	c := registry.Follow(func() *registry.View { return v })
	s := open(t, v)
	step := func(now time.Time, m jsonrpc.Message) server.Output {
		t.Helper()
		next, out := s.Receive(now, m)
		again, same := next, out
		_, _, _ = c.Step(again, now, same) // of a turn that is not stored
		next, out, _ = c.Step(next, now, out)
		c.Commit()
		s = next
		return out
	}
	step(t0, calls(2, "x"))
	v = from(t, group(t, "h", "y"), mixed(t, "m")).View() // prompts and resources, which were not declared
	out := step(t0.Add(time.Second), request(3, "tools/list", `{}`))
	if got := sent(out); !strings.Contains(got, `"id":2,"result":{"content":[{"type":"text","text":"`) || strings.Count(got, `"isError":true`) != 1 {
		t.Error(got)
	}
	if c.Handlers() != v.Handlers() {
		t.Error("the functions are those of before")
	}
	s, out = s.Receive(t0.Add(2*time.Second), request(4, "tools/list", `{}`))
	if got := sent(out); !strings.Contains(got, `"of h"`) || strings.Contains(got, `"of g"`) {
		t.Error(got)
	}
	v = nil
	step(t0.Add(3*time.Second), jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	if _, out = s.Receive(t0.Add(4*time.Second), request(5, "tools/list", `{}`)); !strings.Contains(sent(out), `"tools":[]`) {
		t.Error(sent(out))
	}
	// The end of a session that is gone.
	next, _, wake := c.Step(server.State{}, t0.Add(5*time.Second), server.Output{})
	if c.Commit(); next.Phase() != 0 || !wake.IsZero() {
		t.Error(next, wake)
	}
}

// The time of a call stands still while it waits for the client, each time, and no other's does.
func TestHeldTime(t *testing.T) {
	_, r, s := timed(t)
	var out server.Output
	r, s, out = feed(r, s, t0, calls(2, "quick"))
	asks := out.Opened
	r, s, _ = feed(r, s, t0, calls(3, "plain"))
	r, s, _ = feed(r, s, t0, calls(4, "ever"))
	now := t0.Add(5 * time.Millisecond)
	ask := func() server.Req {
		next, out, err := s.Request(now, protocol.RawRequest{Name: "ping"}, server.RequestOptions{Within: asks, Timeout: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		r, s, _ = r.Step(next, now, out)
		return out.Req
	}
	a, b := ask(), ask()
	if run := r.Open()[0]; !run.Deadline.IsZero() {
		t.Errorf("%+v", run)
	}
	if due, _ := r.NextDeadline(); !due.Equal(t0.Add(1500 * time.Millisecond)) {
		t.Error(due)
	}
	end := func(req server.Req) {
		now = now.Add(300 * time.Millisecond)
		next, out, err := s.Cancel(now, req, "")
		if err != nil {
			t.Fatal(err)
		}
		r, s, _ = r.Step(next, now, out)
	}
	end(a)
	if run := r.Open()[0]; !run.Deadline.IsZero() {
		t.Errorf("one more is open: %+v", run)
	}
	end(b)
	if due, _ := r.NextDeadline(); !due.Equal(now.Add(15*time.Millisecond)) || !r.Open()[0].Deadline.Equal(due) {
		t.Error(due, r.Open()[0])
	}
	now = time.Time{} // the latest that was seen
	c := ask()
	now = t0.Add(3 * time.Second)
	end(c)
	if len(r.Open()) != 2 { // the plain one is over, at its own time
		t.Errorf("%+v", r.Open())
	}
	r, s, out = r.Step(s, now.Add(14*time.Millisecond), server.Output{})
	if !out.IsZero() {
		t.Error(sent(out))
	}
	r, _, out = r.Step(s, now.Add(15*time.Millisecond), server.Output{})
	if ev := out.Events[0]; !errors.Is(ev.Cause, registry.ErrTimeout) || ev.Call.Seq() != asks.Seq() || len(r.Open()) != 1 {
		t.Error(out.Events)
	}
}
