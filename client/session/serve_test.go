package session

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/internal/waits"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

const sampling = `"id":%q,"method":"sampling/createMessage","params":{"maxTokens":1,"messages":[{"role":"user","content":{"type":"text","text":%q}}]}`

func sampled(text string) protocol.CreateMessageResult {
	return protocol.CreateMessageResult{Role: protocol.RoleAssistant, Model: "m", Content: []protocol.Content{protocol.TextContent(text)}}
}

// A function answers: with a result, an error of its own, one that says nothing, or
// something that does not fit.
func TestServe(t *testing.T) {
	var events []client.Event
	opt := Options{
		Event: func(_ *Client, ev client.Event) { events = append(events, ev) },
		Serve: func(ctx context.Context, c *Client, ev client.Event) (protocol.Result, error) {
			switch p, _ := protocol.Decode[protocol.CreateMessageParams](ev.Body); p.Messages[0].Content[0].Text {
			case "rejected":
				return nil, &jsonrpc.Error{Code: protocol.CodeUserRejected, Message: "the user said no"}
			case "value":
				return nil, fmt.Errorf("it is so: %w", jsonrpc.Error{Code: -7, Message: "seven"})
			case "secret":
				return nil, errors.New("/home/me")
			case "nothing":
				return nil, nil
			case "leaves": // as t.FailNow does
				runtime.Goexit()
			case "odd":
				return protocol.ElicitResult{Action: "no such"}, nil
			case "asks":
				if err := c.Progress(ctx, ev.Call, protocol.ProgressParams{Progress: 1}); err != nil {
					return nil, err
				}
				r, err := Do[protocol.ReadResourceResult](ctx, c, protocol.ReadResourceParams{URI: "test://a"})
				if err != nil {
					return nil, err
				}
				return sampled(r.Contents[0].Text), nil
			}
			return sampled("fine"), nil
		},
	}
	session(t, opt, func(t *testing.T, p *peer, _ *Client) {
		events = nil
		for text, want := range map[string]string{
			"plain": "fine", "rejected": "the user said no", "value": "seven", "secret": "internal error",
			"nothing": "internal error", "leaves": "internal error", "odd": "-32603", "asks": "of the server",
		} {
			p.say(sampling, text, text)
			if text == "asks" {
				p.answer(p.hear("resources/read"), `{"contents":[{"uri":"test://a","text":"of the server"}]}`)
			}
			got := string(jsonrpc.Append(nil, p.hear("").Message))
			if !strings.Contains(got, want) || strings.Contains(got, "home") {
				t.Errorf("%s: %s", text, got)
			}
		}
		synctest.Wait()
		told := map[string]int{}
		for _, ev := range events {
			if ev.Kind != lifecycle.LocalViolation || ev.Method != "sampling/createMessage" || ev.Cause == nil {
				t.Error(ev)
				continue
			}
			told[ev.Cause.Err.Error()]++
		}
		if len(events) != 4 || told["/home/me"] != 1 || told["the function returned neither a result nor an error"] != 2 { // and "odd"
			t.Error(told)
		}
	})
	session(t, Options{}, func(_ *testing.T, p *peer, _ *Client) {
		p.say(sampling, "x", "y")
		p.hear("")
	})
}

// So many functions run, and hold so much, and no more; those of calls that have ended
// count until they return.
func TestServingIsBounded(t *testing.T) {
	for _, opt := range []Options{{MaxServing: 3}, {MaxServingBytes: 250}} {
		release := make(chan struct{})
		opt.Serve = func(ctx context.Context, _ *Client, _ client.Event) (protocol.Result, error) {
			<-ctx.Done()
			<-release
			return nil, context.Cause(ctx)
		}
		session(t, opt, func(t *testing.T, p *peer, c *Client) {
			release = make(chan struct{})
			for i := range 4 {
				p.say(sampling, fmt.Sprint(i), "x")
			}
			wantText(t, p.hear("").Message.Err, "too busy")
			for i := range 4 {
				p.say(`"method":"notifications/cancelled","params":{"requestId":"%d"}`, i)
			}
			p.say(sampling, "5", "x")
			wantText(t, p.hear("").Message.Err, "too busy")
			close(release)
			synctest.Wait()
			if c.load != (waits.Load{}) || len(c.serving) != 0 {
				t.Error(c.load, len(c.serving))
			}
			p.quiet(time.Second) // nobody waits for the answers
		})
	}
}

// The context of a function ends with its call, with its cause.
func TestServeEnds(t *testing.T) {
	ended := make(chan error, 1)
	opt := Options{Serve: func(ctx context.Context, _ *Client, _ client.Event) (protocol.Result, error) {
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return sampled("late"), nil
	}}
	run := func(end func(p *peer, c *Client), want string) {
		session(t, opt, func(t *testing.T, p *peer, c *Client) {
			ended = make(chan error, 1)
			p.say(sampling, "1", "x")
			synctest.Wait()
			end(p, c)
			wantText(t, within(t, ended), want)
		})
	}
	run(func(p *peer, _ *Client) {
		p.say(`"method":"notifications/cancelled","params":{"requestId":"1","reason":"bored"}`)
	}, "bored")
	run(func(p *peer, _ *Client) { p.in <- news{err: errors.New("pulled out")} }, "pulled out")
	run(func(_ *peer, c *Client) { go c.Close(context.Background()) }, "shut down")
}

// Events come in order, do not hold up what arrives, and are bounded.
func TestEvents(t *testing.T) {
	var got []client.Event
	var c *Client
	hold := make(chan struct{})
	opt := Options{MaxEvents: 100, MaxEventBytes: 200_000, Event: func(with *Client, ev client.Event) {
		if got = append(got, ev); ev.Kind == lifecycle.NotificationReceived {
			<-hold
			_, _ = with.Request(context.Background(), protocol.ReadResourceParams{URI: "test://a"}, RequestOptions{})
		}
	}}
	synctest.Test(t, func(t *testing.T) {
		hold = make(chan struct{})
		p := newPeer(t)
		opt.Serve = none
		go p.shake()
		var err error
		if c, err = Connect(t.Context(), config(), p, opt); err != nil {
			t.Fatal(err)
		}
		const many = 1000
		for i := range many {
			p.say(`"method":"notifications/message","params":{"level":"info","data":%d}`, i)
		}
		for range 10 {
			p.say(`"method":"notifications/message","params":{"level":"info","data":%q},"junk":%q`, strings.Repeat("x", 50_000), strings.Repeat("y", 1_000_000))
		}
		p.say(`"method":"notifications/message","params":{"level":"info","data":"last"}`)
		synctest.Wait()
		if n := len(c.events.list); n > 100 || c.events.bytes > 200_000 {
			t.Error(n, c.events.bytes)
		}
		close(hold)
		go func() {
			for {
				select {
				case o := <-p.sent:
					p.answer(o, `{"contents":[]}`)
				case <-p.gone:
					return
				}
			}
		}()
		synctest.Wait()
		if n := len(got) + c.LeftOut(); n != many+10+1+2 { // two phases
			t.Error(len(got), c.LeftOut())
		}
		wantText(t, got[len(got)-1].Body, "last")
		if err := c.Close(t.Context()); err != nil || got[len(got)-1].To != lifecycle.Disconnected {
			t.Error(err, got[len(got)-1])
		}
	})
}

// Nothing is left out if events hold up what arrives, and Sync waits for them.
func TestHoldUp(t *testing.T) {
	var got int
	opt := Options{MaxEvents: 10, HoldUp: true, Event: func(_ *Client, ev client.Event) {
		time.Sleep(time.Second)
		got++
	}}
	session(t, opt, func(t *testing.T, p *peer, c *Client) {
		const many = 100
		began := time.Now()
		for i := range many {
			p.say(`"method":"notifications/message","params":{"level":"info","data":%d}`, i)
		}
		if took := time.Since(began); took < 50*time.Second {
			t.Error(took)
		}
		synctest.Wait()
		wantErr(t, c.Sync(t.Context()), nil)
		if got != many+2 || c.LeftOut() != 0 {
			t.Error(got, c.LeftOut())
		}
		wantErr(t, c.Sync(t.Context()), nil)
		p.say(`"method":"notifications/message","params":{"level":"info","data":0}`)
		synctest.Wait()
		ctx, end := context.WithTimeout(t.Context(), time.Millisecond)
		defer end()
		wantErr(t, c.Sync(ctx), context.DeadlineExceeded)
	})
	session(t, Options{}, func(t *testing.T, _ *peer, c *Client) { wantErr(t, c.Sync(t.Context()), nil) })
}

// Changes of phase are kept whatever else comes, and so is the newest event.
func TestThin(t *testing.T) {
	e := newEvents(4, 10_000, false)
	e.add(client.Event{Kind: lifecycle.PhaseChanged})
	for i := range 100 {
		e.add(client.Event{Kind: lifecycle.Ignored, Body: jsonrpc.Raw(fmt.Sprint(i))})
	}
	if e.list[0].Kind != lifecycle.PhaseChanged || e.list[len(e.list)-1].Body != "99" || len(e.list)+e.left != 101 || len(e.list) < 2 {
		t.Error(len(e.list), e.left, e.list)
	}
	e.add(client.Event{Kind: lifecycle.Ignored, Body: jsonrpc.Raw(strings.Repeat("x", 100_000))})
	if len(e.list) != 2 || e.bytes < 100_000 {
		t.Error(len(e.list), e.bytes)
	}
	e.add(client.Event{Kind: lifecycle.Ignored, ID: jsonrpc.String(strings.Repeat("x", 100_000))})
	if len(e.list) != 2 || e.bytes < 100_000 {
		t.Error(len(e.list), e.bytes)
	}
	e.add(client.Event{Kind: lifecycle.Ignored, Err: &jsonrpc.Error{Message: "m", Data: `"d"`}})
	if len(e.list) != 2 || e.bytes > 1000 || e.list[1].Err.Data != `"d"` {
		t.Error(len(e.list), e.bytes)
	}
}

// Phases without end, of a server whose sessions all end, are bounded too: by their number and by
// their bytes.
func TestThinPhases(t *testing.T) {
	for _, tt := range []struct{ many, most, size int }{{100, 1 << 30, 1}, {1000, 100_000, 10_000}} {
		e := newEvents(tt.many, tt.most, false)
		for i := range 500 {
			e.add(client.Event{Kind: lifecycle.PhaseChanged, Body: jsonrpc.Raw(fmt.Sprintf("%*d", tt.size, i))})
			if len(e.list) > tt.many || e.bytes-weight(e.list[len(e.list)-1]) > tt.most {
				t.Fatal(i, len(e.list), e.bytes)
			}
		}
		if last := e.list[len(e.list)-1]; len(e.list)+e.left != 500 || len(e.list) < 2 || strings.TrimSpace(string(last.Body)) != "499" || e.seen != e.left {
			t.Error(len(e.list), e.left, last.Body)
		}
	}
}
