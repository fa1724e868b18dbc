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
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

const addTool = `{"name":"add","inputSchema":{"type":"object"},"outputSchema":{"type":"object","required":["sum"]}}`

func tools(t *testing.T, c *Client) (<-chan []protocol.Tool, <-chan error) {
	return later(func() ([]protocol.Tool, error) { return c.Tools(t.Context()) })
}

// A list is read when it is asked for, page by page, once however many ask, and again when it is
// asked for after the server has said that it changed. A server that says so all the time costs nothing.
//
// rows: TOOL-023
func TestList(t *testing.T) {
	for _, rev := range protocol.Revisions() {
		t.Run(rev.String(), func(t *testing.T) { sessionAt(t, rev, Options{}, listAgain) })
	}
}

func listAgain(t *testing.T, p *peer, c *Client) {
	p.quiet(time.Second)
	list, failed := tools(t, c)
	_, failed2 := tools(t, c)
	p.answer(p.hear("tools/list"), `{"tools":[`+addTool+`],"nextCursor":"2"}`)
	if !c.Stale("tools/list") {
		t.Error("a list that is being read is fresh")
	}
	p.answer(p.hear("tools/list"), `{"tools":[{"name":"b","inputSchema":{"type":"object"}},`+addTool+`]}`)
	got := within(t, list)
	wantErr(t, within(t, failed), nil)
	wantErr(t, within(t, failed2), nil)
	if len(got) != 2 || got[1].Name != "b" || c.Stale("tools/list") { // each name once
		t.Error(got)
	}
	if got, err := c.Tools(t.Context()); err != nil || len(got) != 2 {
		t.Error(got, err)
	}
	for range 10 {
		p.say(`"method":"notifications/tools/list_changed"`)
		p.say(`"method":"notifications/prompts/list_changed"`)
	}
	p.quiet(time.Minute)
	if !c.Stale("tools/list") {
		t.Error("a list that has changed is fresh")
	}
	list, failed = tools(t, c)
	p.answer(p.hear("tools/list"), `{"tools":[{"name":"c","inputSchema":{"type":"object"}},{"name":1}]}`)
	if got := within(t, list); len(got) != 1 || got[0].Name != "c" {
		t.Error(got)
	}
	wantErr(t, within(t, failed), nil) // the State has reported the other one
	_, err := c.List(t.Context(), "prompts/list")
	wantErr(t, err, lifecycle.ErrCapability)
	_, err = c.List(t.Context(), "tools/call")
	wantErr(t, err, lifecycle.ErrParams)
	p.quiet(time.Minute)
}

// A listing that fails half way returns what was read, and the list that was read before stays known; one
// that ends with an empty cursor is whole. Who does not wait any more ends nobody else's.
func TestListFails(t *testing.T) {
	session(t, Options{}, func(t *testing.T, p *peer, c *Client) {
		list, failed := later(func() ([]jsonrpc.Raw, error) { return c.List(t.Context(), "resources/list") })
		p.answer(p.hear("resources/list"), `{"resources":[{"uri":"a:b","name":"n"}],"nextCursor":"2"}`)
		p.say(`"id":%s,"error":{"code":-32601,"message":"have none"}`, p.hear("resources/list").Message.ID)
		wantText(t, within(t, failed), "have none")
		if got := within(t, list); len(got) != 1 || !c.Stale("resources/list") {
			t.Errorf("%q", got)
		}
		list, failed = later(func() ([]jsonrpc.Raw, error) { return c.List(t.Context(), "resources/list") })
		p.answer(p.hear("resources/list"), `{"resources":[{"uri":"a:b","name":"n"},{"uri":"a:c","name":"n"}],"nextCursor":""}`)
		p.answer(p.hear("resources/list"), `{"resources":[{"uri":"a:b","name":"n"}],"nextCursor":""}`)
		if got := within(t, list); len(got) != 2 || c.Stale("resources/list") {
			t.Errorf("%q", got)
		}
		wantErr(t, within(t, failed), nil)

		p.say(`"method":"notifications/resources/list_changed"`)
		synctest.Wait()
		for range 2 { // what failed is no list, and is read again
			_, failed = later(func() ([]jsonrpc.Raw, error) { return c.List(t.Context(), "resources/list") })
			p.say(`"id":%s,"error":{"code":-32603,"message":"not now"}`, p.hear("resources/list").Message.ID)
			wantText(t, within(t, failed), "not now")
		}

		var all []<-chan error // of those who come while it is read: none asks again
		for range 3 {
			_, failed = later(func() ([]jsonrpc.Raw, error) { return c.List(t.Context(), "resources/list") })
			all = append(all, failed)
			synctest.Wait()
		}
		p.say(`"id":%s,"error":{"code":-32603,"message":"not now"}`, p.hear("resources/list").Message.ID)
		for _, failed := range all {
			wantText(t, within(t, failed), "not now")
		}

		ctx, end := context.WithCancel(t.Context())
		_, failed = later(func() ([]protocol.Tool, error) { return c.Tools(ctx) })
		p.hear("tools/list")
		second, failed2 := tools(t, c)
		synctest.Wait()
		end()
		wantErr(t, within(t, failed), context.Canceled)
		p.hear("notifications/cancelled")
		p.answer(p.hear("tools/list"), `{"tools":[`+addTool+`]}`)
		wantErr(t, within(t, failed2), nil)
		if got := within(t, second); len(got) != 1 {
			t.Error(got)
		}
	})
}

// The result of a tool whose schema is known is held against it.
func TestOutputSchema(t *testing.T) {
	session(t, Options{}, func(t *testing.T, p *peer, c *Client) {
		call := func(result string) error {
			_, failed := later(func() (protocol.CallToolResult, error) {
				return c.CallTool(t.Context(), protocol.CallToolParams{Name: "add"}, RequestOptions{})
			})
			p.answer(p.hear("tools/call"), result)
			return within(t, failed)
		}
		const bad = `{"content":[],"structuredContent":{}}`
		wantErr(t, call(bad), nil)
		_, failed := tools(t, c)
		p.answer(p.hear("tools/list"), `{"tools":[`+addTool+`]}`)
		wantErr(t, within(t, failed), nil)
		wantErr(t, call(bad), &lifecycle.Cause{Kind: lifecycle.CauseInvalidResponse})
		wantErr(t, call(`{"content":[],"structuredContent":{"sum":1}}`), nil)
		p.in <- news{err: links.ErrSessionGone} // the server of the next session may be another one
		p.shake()
		synctest.Wait()
		wantErr(t, call(bad), nil)
	})
}

const needsPage = `"id":%s,"error":{"code":-32042,"message":"sign in","data":{"elicitations":[{"mode":"url","message":"m","url":"https://example.com/p","elicitationId":"e1"}]}}`

// A request that needs pages is made again once they are done with, or after a time; a user
// who will not go there ends it.
func TestVisit(t *testing.T) {
	var visited []string
	unwilling := errors.New("not today")
	var refuse error
	opt := Options{Visit: func(_ context.Context, _ *Client, pages []protocol.ElicitParams) error {
		for _, p := range pages {
			visited = append(visited, p.URL)
		}
		return refuse
	}}
	session(t, opt, func(t *testing.T, p *peer, c *Client) {
		failed := ask(t.Context(), c)
		p.say(needsPage, p.hear("resources/read").Message.ID)
		p.quiet(30 * time.Second)
		p.say(`"method":"notifications/elicitation/complete","params":{"elicitationId":"e1"}`)
		p.answer(p.hear("resources/read"), `{"contents":[]}`)
		wantErr(t, within(t, failed), nil)

		failed = ask(t.Context(), c)
		p.say(needsPage, p.hear("resources/read").Message.ID)
		p.quiet(59 * time.Second)
		p.say(needsPage, p.hear("resources/read").Message.ID)
		wantText(t, within(t, failed), "sign in") // not a third time

		ctx, end := context.WithCancel(t.Context())
		failed = ask(ctx, c)
		p.say(needsPage, p.hear("resources/read").Message.ID)
		synctest.Wait()
		end()
		wantErr(t, within(t, failed), context.Canceled)

		refuse = unwilling
		failed = ask(t.Context(), c)
		p.say(needsPage, p.hear("resources/read").Message.ID)
		wantErr(t, within(t, failed), unwilling)
		if strings.Join(visited, " ") != strings.Repeat(" https://example.com/p", 4)[1:] {
			t.Error(visited)
		}
		failed = ask(t.Context(), c)
		p.say(`"id":%s,"error":{"code":-32042,"message":"nothing to visit"}`, p.hear("resources/read").Message.ID)
		wantText(t, within(t, failed), "nothing to visit")
		if len(visited) != 4 || c.retries.Waiting(client.Req{}) != nil {
			t.Error(visited)
		}
	})
}

// Against a server that announces a change before each of its answers, List returns what it read: after
// one reading, and marked.
func TestListReturns(t *testing.T) {
	session(t, Options{}, func(t *testing.T, p *peer, c *Client) {
		if !c.Stale("tools/list") {
			t.Error("a list that nobody has read is fresh")
		}
		for n := range 5 {
			list, failed := tools(t, c)
			o := p.hear("tools/list")
			p.say(`"method":"notifications/tools/list_changed"`)
			p.answer(o, fmt.Sprintf(`{"tools":[{"name":"t%d","inputSchema":{"type":"object"}}]}`, n))
			if got := within(t, list); len(got) != 1 || got[0].Name != fmt.Sprint("t", n) || !c.Stale("tools/list") {
				t.Error(got)
			}
			wantErr(t, within(t, failed), nil)
		}
		// What is under way when List is called does not count: it may be older than what was announced.
		list, failed := tools(t, c)
		o := p.hear("tools/list")
		p.say(`"method":"notifications/tools/list_changed"`)
		synctest.Wait()
		second, failed2 := tools(t, c)
		synctest.Wait()
		p.answer(o, `{"tools":[]}`)
		if got := within(t, list); len(got) != 0 {
			t.Error(got)
		}
		wantErr(t, within(t, failed), nil)
		p.answer(p.hear("tools/list"), `{"tools":[`+addTool+`]}`)
		if got := within(t, second); len(got) != 1 || c.Stale("tools/list") {
			t.Error(got)
		}
		wantErr(t, within(t, failed2), nil)
		// A reading that ends with its session is none, and what was read in that is not known in the next.
		p.say(`"method":"notifications/tools/list_changed"`)
		synctest.Wait()
		third, failed3 := tools(t, c)
		p.hear("tools/list")
		p.in <- news{err: links.ErrSessionGone}
		p.shake()
		p.answer(p.hear("tools/list"), `{"tools":[`+addTool+`]}`)
		if got := within(t, third); len(got) != 1 {
			t.Error(got)
		}
		wantErr(t, within(t, failed3), nil)
		p.in <- news{err: links.ErrSessionGone}
		p.shake()
		synctest.Wait()
		if !c.Stale("tools/list") {
			t.Error("a list of another session is fresh")
		}
		list, failed = tools(t, c)
		p.answer(p.hear("tools/list"), `{"tools":[]}`)
		if got := within(t, list); len(got) != 0 {
			t.Error(got)
		}
		wantErr(t, within(t, failed), nil)
	})
}

// lateContext is a context that has ended when an answer is looked at, and not yet when it came.
type lateContext struct {
	context.Context
	over bool
}

func (c *lateContext) Err() error {
	if c.over {
		return context.Canceled
	}
	return nil
}

// A list of which a page came just when its context ended is not taken for the whole list.
func TestListLate(t *testing.T) {
	session(t, Options{}, func(t *testing.T, p *peer, c *Client) {
		ctx := &lateContext{Context: context.Background()}
		list, failed := later(func() ([]jsonrpc.Raw, error) { return c.List(ctx, "tools/list") })
		o := p.hear("tools/list")
		ctx.over = true
		p.answer(o, `{"tools":[`+addTool+`],"nextCursor":"2"}`)
		wantErr(t, within(t, failed), context.Canceled)
		if got := within(t, list); len(got) != 1 || !c.Stale("tools/list") {
			t.Errorf("%q, stale: %v", got, c.Stale("tools/list"))
		}
	})
}

// An Event that ends its goroutine is none the less called with what follows, and holds nobody up.
func TestEventLeft(t *testing.T) {
	for _, hold := range []bool{false, true} {
		seen := 0
		opt := Options{HoldUp: hold, MaxEvents: 2, Event: func(_ *Client, ev client.Event) {
			if ev.Kind == lifecycle.NotificationReceived {
				seen++
				runtime.Goexit()
			}
		}}
		session(t, opt, func(t *testing.T, p *peer, c *Client) {
			for range 10 {
				p.say(`"method":"notifications/tools/list_changed"`)
				synctest.Wait()
			}
			wantErr(t, c.Sync(t.Context()), nil)
			if seen != 10 {
				t.Errorf("%d were seen", seen)
			}
		})
	}
}
