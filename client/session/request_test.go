package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/internal/waits"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Requests of many goroutines get each its own answer, in whatever order those come.
func TestManyAtOnce(t *testing.T) {
	session(t, Options{}, func(t *testing.T, p *peer, c *Client) {
		const many = 50
		var wg sync.WaitGroup
		for i := range many {
			wg.Go(func() {
				uri := fmt.Sprintf("test://%d", i)
				r, err := Do[protocol.ReadResourceResult](t.Context(), c, protocol.ReadResourceParams{URI: uri})
				if err != nil || len(r.Contents) != 1 || r.Contents[0].Text != uri {
					t.Error(uri, r, err)
				}
			})
		}
		heard := make([]client.Outgoing, many)
		for i := range heard {
			heard[i] = p.hear("resources/read")
		}
		slices.Reverse(heard)
		for _, o := range heard {
			params, _ := protocol.Decode[protocol.ReadResourceParams](o.Message.Body)
			p.answer(o, fmt.Sprintf(`{"contents":[{"uri":%q,"text":%q}]}`, params.URI, params.URI))
		}
		wg.Wait()
	})
}

// How a request can fail: each way fails that request, and no other.
func TestFailures(t *testing.T) {
	session(t, Options{}, func(t *testing.T, p *peer, c *Client) {
		failed := ask(t.Context(), c)
		p.say(`"id":%s,"error":{"code":-32002,"message":"no such thing"}`, p.hear("resources/read").Message.ID)
		wantText(t, within(t, failed), "no such thing")

		failed = ask(t.Context(), c)
		o := p.hear("resources/read")
		p.in <- news{a: links.Arrival{Req: o.Req, Err: lifecycle.Unsent(errors.New("no route"))}}
		err := within(t, failed)
		wantErr(t, err, &lifecycle.Cause{Kind: lifecycle.CauseNotSent})
		wantText(t, err, "no route")

		failed = ask(t.Context(), c)
		o = p.hear("resources/read")
		p.in <- news{a: links.Arrival{Req: o.Req, Err: errors.New("stream cut")}}
		wantErr(t, within(t, failed), &lifecycle.Cause{Kind: lifecycle.CauseResponseLost})
		p.hear("notifications/cancelled")

		failed = ask(t.Context(), c)
		p.hear("resources/read")
		wantErr(t, within(t, failed), &lifecycle.Cause{Kind: lifecycle.CauseTimedOut})
		p.hear("notifications/cancelled")

		failed = ask(t.Context(), c)
		p.answer(p.hear("resources/read"), `{"contents":1}`)
		wantErr(t, within(t, failed), &lifecycle.Cause{Kind: lifecycle.CauseInvalidResponse})

		_, err = Do[protocol.ReadResourceResult](t.Context(), c, protocol.ReadResourceParams{URI: ""})
		wantErr(t, err, lifecycle.ErrParams)
		_, err = Do[protocol.GetPromptResult](t.Context(), c, protocol.GetPromptParams{Name: "x"})
		wantErr(t, err, lifecycle.ErrCapability)
	})
	refused := lifecycle.Unsent(errors.New("refused"))
	session(t, Options{}, func(t *testing.T, p *peer, c *Client) {
		p.refuse = func(o client.Outgoing) error {
			if strings.Contains(string(o.Message.Body), "test://a") {
				return refused
			}
			return nil
		}
		wantErr(t, within(t, ask(t.Context(), c)), refused)
		_, failed := later(func() (jsonrpc.Raw, error) {
			return c.Request(t.Context(), protocol.ReadResourceParams{URI: "test://b"}, RequestOptions{})
		})
		p.answer(p.hear("resources/read"), `{"contents":[]}`)
		wantErr(t, within(t, failed), nil)
		// Of what the Transport does not say was not sent a part may have been.
		refused = io.ErrShortWrite
		failed = ask(t.Context(), c)
		p.hear("notifications/cancelled")
		wantErr(t, within(t, failed), &lifecycle.Cause{Kind: lifecycle.CauseResponseLost})
	})
}

// A context that ends cancels the request, and the server is told; one that has ended asks
// for nothing.
func TestContextCancels(t *testing.T) {
	session(t, Options{}, func(t *testing.T, p *peer, c *Client) {
		why := errors.New("the user left")
		ctx, end := context.WithCancelCause(t.Context())
		failed := ask(ctx, c)
		o := p.hear("resources/read")
		end(why)
		wantErr(t, within(t, failed), why)
		wantText(t, p.hear("notifications/cancelled").Message.Body, `"requestId":`+o.Message.ID.String())
		p.answer(o, `{"contents":[]}`) // too late
		for what, ask := range map[string]func() error{
			"request": func() error { return within(t, ask(ctx, c)) },
			"send":    func() error { _, err := c.Send(ctx, protocol.PingParams{}, RequestOptions{}); return err },
			"call": func() error {
				_, err := c.CallTool(ctx, protocol.CallToolParams{Name: "x"}, RequestOptions{})
				return err
			},
			"list":     func() error { _, err := c.Tools(ctx); return err },
			"notify":   func() error { return c.Notify(ctx, protocol.RootsListChangedParams{}, client.Call{}) },
			"roots":    func() error { return c.SetRoots(ctx, nil) },
			"progress": func() error { return c.Progress(ctx, client.Call{}, protocol.ProgressParams{}) },
		} {
			if err := ask(); !errors.Is(err, why) || lifecycle.DeliveryOf(err) != lifecycle.NotSent {
				t.Errorf("%s: %v, which says %v", what, err, lifecycle.DeliveryOf(err))
			}
		}
		p.quiet(time.Second)
		synctest.Wait()
		if len(c.waiting) != 0 {
			t.Error(len(c.waiting), "wait")
		}
	})
}

// Who sends without waiting has the handle, and can replace the request.
func TestSend(t *testing.T) {
	session(t, Options{}, func(t *testing.T, p *peer, c *Client) {
		first, err := c.Send(t.Context(), protocol.ReadResourceParams{URI: "test://a"}, RequestOptions{})
		wantErr(t, err, nil)
		p.hear("resources/read")
		second, err := c.Send(t.Context(), protocol.ReadResourceParams{URI: "test://b"}, RequestOptions{RequestOptions: client.RequestOptions{Replaces: first.Req()}})
		wantErr(t, err, nil)
		p.hear("notifications/cancelled")
		p.answer(p.hear("resources/read"), `{"contents":[]}`)
		_, err = first.Wait(t.Context())
		wantErr(t, err, &lifecycle.Cause{Kind: lifecycle.CauseCancelled})
		_, err = second.Wait(t.Context())
		wantErr(t, err, nil)
		_, err = c.Send(t.Context(), protocol.ReadResourceParams{}, RequestOptions{})
		wantErr(t, err, lifecycle.ErrParams)
	})
}

// Progress is reported before the answer, in order, and to who asked for it alone. Of
// progress that comes faster than it is taken the newest stays.
func TestProgress(t *testing.T) {
	var others int
	opt := Options{Event: func(_ *Client, ev client.Event) {
		if ev.Kind == lifecycle.ProgressReceived {
			others++
		}
	}}
	session(t, opt, func(t *testing.T, p *peer, c *Client) {
		var got []float64
		_, failed := later(func() (protocol.CallToolResult, error) {
			return c.CallTool(t.Context(), protocol.CallToolParams{Name: "slow"}, RequestOptions{OnProgress: func(p protocol.ProgressParams) {
				got = append(got, p.Progress)
				time.Sleep(time.Second)
			}})
		})
		o := p.hear("tools/call")
		body, _ := protocol.Decode[protocol.CallToolParams](o.Message.Body)
		token, _ := body.Meta.ProgressToken()
		const many = 100
		for i := range many {
			p.say(`"method":"notifications/progress","params":{"progressToken":%s,"progress":%d}`, token, i)
		}
		p.answer(o, `{"content":[]}`)
		wantErr(t, within(t, failed), nil)
		if len(got) < 2 || len(got) > 2*waits.MaxProgress || !slices.IsSorted(got) || got[len(got)-1] != many-1 {
			t.Error(got)
		}
		synctest.Wait()
		if others != 0 {
			t.Error(others, "events of progress")
		}
		_, failed = later(func() (jsonrpc.Raw, error) {
			return c.Request(t.Context(), protocol.ReadResourceParams{URI: "test://a"}, RequestOptions{RequestOptions: client.RequestOptions{Progress: true}})
		})
		o = p.hear("resources/read")
		read, _ := protocol.Decode[protocol.ReadResourceParams](o.Message.Body)
		token, _ = read.Meta.ProgressToken()
		p.say(`"method":"notifications/progress","params":{"progressToken":%s,"progress":1}`, token)
		p.answer(o, `{"contents":[]}`)
		wantErr(t, within(t, failed), nil)
		synctest.Wait()
		if others != 1 {
			t.Error(others, "events of progress")
		}
	})
}

// The handshake can fail in each of its ways, and then nothing is left.
func TestOpenFails(t *testing.T) {
	for name, tt := range map[string]struct {
		do   func(p *peer)
		want string
	}{
		"error": {func(p *peer) {
			p.say(`"id":%s,"error":{"code":-32603,"message":"no"}`, p.hear("initialize").Message.ID)
		}, "no"},
		"revision": {func(p *peer) {
			p.answer(p.hear("initialize"), `{"protocolVersion":"1999-01-01","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`)
		}, "1999"},
		"silence": {func(p *peer) { p.hear("initialize") }, "timed out"},
		"end":     {func(p *peer) { p.hear("initialize"); p.in <- news{err: errors.New("broken pipe")} }, "broken pipe"},
		"not sent": {func(p *peer) {
			p.in <- news{a: links.Arrival{Req: p.hear("initialize").Req, Err: errors.New("refused")}}
		}, "refused"},
		"gone": {func(p *peer) { p.hear("initialize"); p.in <- news{err: links.ErrSessionGone} }, "ended the session"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPeer(t)
				go tt.do(p)
				_, err := Connect(t.Context(), config(), p, Options{Serve: none})
				wantText(t, err, tt.want)
				within(t, p.gone)
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		ctx, end := context.WithTimeout(t.Context(), time.Second)
		defer end()
		go p.skip()
		_, err := Connect(ctx, config(), p, Options{Serve: none})
		wantErr(t, err, context.DeadlineExceeded)
		within(t, p.gone)
	})
	p := newPeer(t)
	if _, err := Connect(t.Context(), client.Config{}, p, Options{}); err == nil {
		t.Error("a Config without a name is taken")
	}
	<-p.gone
	if _, err := New(client.Config{}, newPeer(t), Options{}); err == nil {
		t.Error("a Config without a name is taken")
	}
}

// What stands outside of a session is refused.
func TestPhases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		c, err := New(config(), p, Options{Serve: none})
		if err != nil {
			t.Fatal(err)
		}
		wantErr(t, within(t, ask(t.Context(), c)), lifecycle.ErrPhase)
		_, err = c.List(t.Context(), "tools/list")
		wantErr(t, err, lifecycle.ErrPhase)
		_, err = c.List(t.Context(), "no/list")
		wantErr(t, err, lifecycle.ErrParams)
		go p.shake()
		wantErr(t, c.Open(t.Context()), nil)
		wantErr(t, c.Open(t.Context()), lifecycle.ErrPhase)
		wantErr(t, c.Close(t.Context()), nil)
		wantErr(t, within(t, ask(t.Context(), c)), errClosed)
		wantErr(t, c.Open(t.Context()), errClosed)
		_, err = c.List(t.Context(), "tools/list")
		wantErr(t, err, errClosed)
	})
}

// Roots are announced, and notifications go out.
func TestNotify(t *testing.T) {
	session(t, Options{}, func(t *testing.T, p *peer, c *Client) {
		wantErr(t, c.SetRoots(t.Context(), []protocol.Root{{URI: "file:///b"}}), nil)
		p.hear("notifications/roots/list_changed")
		p.say(`"id":1,"method":"roots/list"`)
		wantText(t, p.hear("").Message.Body, "file:///b")
		wantErr(t, c.SetRoots(t.Context(), []protocol.Root{{URI: "https://b"}}), lifecycle.ErrParams)
		wantErr(t, c.Notify(t.Context(), protocol.RootsListChangedParams{}, client.Call{}), nil)
		p.hear("notifications/roots/list_changed")
		p.quiet(time.Second)
	})
}

// A call is made again for its headers only where there is no session: in one the code is the server's own, and what
// failed by it may have run.
func TestCallIsNotMadeTwice(t *testing.T) {
	session(t, Options{}, func(t *testing.T, p *peer, c *Client) {
		_, failed := later(func() (protocol.CallToolResult, error) {
			return c.CallTool(t.Context(), protocol.CallToolParams{Name: "add"}, RequestOptions{})
		})
		p.say(`"id":%s,"error":{"code":-32020,"message":"sold out"}`, p.hear("tools/call").Message.ID)
		wantText(t, within(t, failed), "sold out")
		p.quiet(time.Second)
	})
}
