package session

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// closer is a peer that closes in its own way.
type closer struct {
	*peer
	close func(context.Context) error
}

func (c closer) Close(ctx context.Context) error {
	_ = c.peer.Close(ctx)
	return c.close(ctx)
}

// until is a Close that waits for the end of its context.
func until(ctx context.Context) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

// What Close returns of a Transport: its error, which later calls have too, but not that this side was in a hurry.
func TestCloseOfTheTransport(t *testing.T) {
	broken := errors.New("broken")
	for name, tt := range map[string]struct {
		close func(context.Context) error
		want  error
	}{
		"fails": {func(context.Context) error { return broken }, broken},
		"slow":  {until, nil},
		"good":  {func(context.Context) error { return nil }, nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, err := New(config(), closer{newPeer(t), tt.close}, Options{Serve: none})
			if err != nil {
				t.Fatal(err)
			}
			ctx, end := context.WithTimeout(t.Context(), time.Second)
			defer end()
			if err := c.Close(ctx); !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) || !errors.Is(c.Err(), tt.want) {
				t.Errorf("%s: %v, then %v", name, err, c.Err())
			}
			err = within(t, ask(t.Context(), c))
			if wantErr(t, err, errClosed); tt.want != nil {
				wantErr(t, err, tt.want)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) { // Connect waits for no Transport that it gives up
		p := newPeer(t)
		go func() { p.say(`"id":%s,"error":{"code":-32603,"message":"no"}`, p.hear("initialize").Message.ID) }()
		began := time.Now()
		_, err := Connect(t.Context(), config(), closer{p, until}, Options{Serve: none})
		if wantText(t, err, "no"); time.Since(began) > 0 {
			t.Error(time.Since(began))
		}
	})
}

// A session that is gone before there was one is not opened again.
func TestGoneBeforeOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		c, err := New(config(), p, Options{Serve: none})
		if err != nil {
			t.Fatal(err)
		}
		p.in <- news{err: links.ErrSessionGone}
		within(t, c.Done())
		wantErr(t, c.Close(t.Context()), links.ErrSessionGone)
	})
}

// What a second loss must not change: the subscriptions of the last good session, and that what was in the queue is
// repeated once.
func TestGoneTwice(t *testing.T) {
	session(t, Options{}, func(t *testing.T, p *peer, c *Client) {
		_, subscribed := later(func() (jsonrpc.Raw, error) {
			return c.Request(t.Context(), protocol.SubscribeParams{URI: "test://a"}, RequestOptions{})
		})
		p.answer(p.hear("resources/subscribe"), `{}`)
		wantErr(t, within(t, subscribed), nil)
		sending := ask(t.Context(), c)
		synctest.Wait()
		first, second := ask(t.Context(), c), ask(t.Context(), c)
		synctest.Wait()
		p.in <- news{err: links.ErrSessionGone}
		wantErr(t, within(t, sending), links.ErrSessionGone)
		p.hear("resources/read") // was on its way
		p.hear("initialize")
		p.in <- news{err: links.ErrSessionGone}
		p.shake()
		if got := strings.Join(c.Lost(), " "); got != "test://a" {
			t.Errorf("lost %q", got)
		}
		synctest.Wait() // one is on its way again, the other in the queue
		p.in <- news{err: links.ErrSessionGone}
		for _, failed := range []<-chan error{first, second} {
			wantText(t, within(t, failed), links.ErrSessionGone.Error())
		}
	})
}

// Only an answer makes a session useful.
func TestFailuresAreNoUse(t *testing.T) {
	session(t, Options{Reopen: 3}, func(t *testing.T, p *peer, c *Client) {
		for range 3 {
			failed := ask(t.Context(), c)
			p.in <- news{a: links.Arrival{Req: p.hear("resources/read").Req, Err: lifecycle.Unsent(errors.New("refused"))}}
			wantText(t, within(t, failed), "refused")
			p.in <- news{err: links.ErrSessionGone}
			p.shake()
		}
		p.in <- news{err: links.ErrSessionGone}
		p.quiet(time.Minute)
		within(t, c.Done())
	})
}

// A request that waited for a person goes on when it was told to, with its own time.
func TestPausedAndResumed(t *testing.T) {
	session(t, Options{}, func(t *testing.T, p *peer, c *Client) {
		failed := ask(t.Context(), c)
		o := p.hear("resources/read")
		p.in <- news{a: links.Arrival{Req: o.Req, Paused: true}}
		p.quiet(5 * time.Minute)
		p.in <- news{a: links.Arrival{Req: o.Req, Resumed: true}}
		p.quiet(50 * time.Second)
		p.answer(o, `{"contents":[]}`)
		wantErr(t, within(t, failed), nil)
	})
}

// What a caller sees of lists: no list of the server, a schema that is none, and one of its own.
func TestListsAndSchemas(t *testing.T) {
	session(t, Options{}, func(t *testing.T, p *peer, c *Client) {
		if _, err := c.List(t.Context(), "x/own"); err == nil {
			t.Error("x/own is a list")
		}
		p.say(`"method":"notifications/tools/list_changed"`)
		_, failed := tools(t, c)
		p.answer(p.hear("tools/list"), `{"tools":[{"name":"plain","inputSchema":{"type":"object"},"outputSchema":null},`+addTool+`]}`)
		wantErr(t, within(t, failed), nil)
		for _, tt := range []struct {
			name, schema string
			good         bool
		}{{"plain", "", true}, {"add", "", false}, {"add", `{"type":"object"}`, true}, {"plain", `{"type":"object","required":["x"]}`, false}} {
			_, failed := later(func() (protocol.CallToolResult, error) {
				return c.CallTool(t.Context(), protocol.CallToolParams{Name: tt.name}, RequestOptions{RequestOptions: client.RequestOptions{OutputSchema: jsonrpc.Raw(tt.schema)}})
			})
			p.answer(p.hear("tools/call"), `{"content":[],"structuredContent":{}}`)
			if err := within(t, failed); (err == nil) != tt.good {
				t.Errorf("%+v: %v", tt, err)
			}
		}
	})
}

// The errors of a request say all that is known: that the server answered, that the caller left, and the name of what
// was not sent, cut at 64 bytes.
func TestErrorsSayAll(t *testing.T) {
	session(t, Options{Visit: func(context.Context, *Client, []protocol.ElicitParams) error { return nil }}, func(t *testing.T, p *peer, c *Client) {
		ctx, end := context.WithCancel(t.Context())
		failed := ask(ctx, c)
		p.say(needsPage, p.hear("resources/read").Message.ID)
		synctest.Wait()
		end()
		err := within(t, failed)
		wantErr(t, err, context.Canceled)
		wantText(t, err, "sign in")
	})
	session(t, Options{}, func(t *testing.T, _ *peer, c *Client) {
		for name, want := range map[string]string{strings.Repeat("a", 64): strings.Repeat("a", 64) + `": `, strings.Repeat("a", 65): strings.Repeat("a", 64) + `…": `} {
			_, err := c.Request(t.Context(), protocol.GetPromptParams{Name: name}, RequestOptions{})
			wantErr(t, err, lifecycle.ErrCapability)
			wantText(t, err, `session: prompts/get "`+want)
		}
	})
}

// The context of a function of Serve says that its call was answered.
func TestServedContext(t *testing.T) {
	served := make(chan context.Context, 1)
	opt := Options{Serve: func(ctx context.Context, _ *Client, _ client.Event) (protocol.Result, error) {
		served <- ctx
		return sampled("x"), nil
	}}
	session(t, opt, func(t *testing.T, p *peer, c *Client) {
		p.say(sampling, "1", "x")
		p.hear("")
		synctest.Wait()
		wantErr(t, context.Cause(<-served), lifecycle.ErrGone)
	})
}

// An Event function may wait for an answer that the server sends behind more events than the queue holds.
func TestEventWaitsForAnAnswer(t *testing.T) {
	var next chan bool
	opt := Options{HoldUp: true, MaxEvents: 2, Event: func(_ *Client, ev client.Event) {
		if ev.Kind == lifecycle.NotificationReceived {
			<-next
		}
	}}
	session(t, opt, func(t *testing.T, p *peer, c *Client) {
		next = make(chan bool) // of the bubble
		failed := ask(t.Context(), c)
		o := p.hear("resources/read")
		for range 6 { // one is with Event, three are one too many, two are not read
			go p.say(`"method":"notifications/tools/list_changed"`)
			synctest.Wait()
		}
		go p.answer(o, `{"contents":[]}`)
		next <- true // the three are taken; Event waits with the first of them
		wantErr(t, within(t, failed), nil)
		close(next)
	})
}

// A Close waits for no session that is being opened in place of a lost one.
func TestCloseWhileOpening(t *testing.T) {
	session(t, Options{}, func(t *testing.T, p *peer, c *Client) {
		p.in <- news{err: links.ErrSessionGone}
		p.hear("initialize")
		began := time.Now()
		wantErr(t, c.Close(t.Context()), nil)
		if d := time.Since(began); d > 0 {
			t.Errorf("it took %v", d)
		}
	})
}
