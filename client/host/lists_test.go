package host

import (
	"context"
	"errors"
	"fmt"
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

// A list is read when it is asked for, page by page, once however many ask, and again
// when the server says that it changed.
func TestList(t *testing.T) {
	session(t, Options{Mirror: client.Mirror{MinInterval: lifecycle.NoTimeout}}, func(t *testing.T, p *peer, c *Client) {
		p.quiet(time.Second)
		list, failed := tools(t, c)
		_, failed2 := tools(t, c)
		p.answer(p.hear("tools/list"), `{"tools":[`+addTool+`],"nextCursor":"2"}`)
		p.answer(p.hear("tools/list"), `{"tools":[{"name":"b","inputSchema":{"type":"object"}}]}`)
		got := within(t, list)
		wantErr(t, within(t, failed), nil)
		wantErr(t, within(t, failed2), nil)
		if len(got) != 2 || got[1].Name != "b" {
			t.Error(got)
		}
		if got, err := c.Tools(t.Context()); err != nil || len(got) != 2 {
			t.Error(got, err)
		}
		p.say(`"method":"notifications/tools/list_changed"`)
		synctest.Wait()
		list, failed = tools(t, c)
		p.answer(p.hear("tools/list"), `{"tools":[{"name":"c","inputSchema":{"type":"object"}},{"name":1}]}`)
		if got := within(t, list); len(got) != 1 || got[0].Name != "c" {
			t.Error(got)
		}
		wantErr(t, within(t, failed), nil) // the State has reported the other one
		_, err := c.List(t.Context(), "prompts/list")
		wantErr(t, err, lifecycle.ErrCapability)
		p.quiet(time.Minute)

		_, failed3 := later(func() ([]jsonrpc.Raw, error) { return c.List(t.Context(), "resources/list") })
		p.say(`"id":%s,"error":{"code":-32601,"message":"have none"}`, p.hear("resources/list").Message.ID)
		wantText(t, within(t, failed3), "have none")
	})
}

// Changes that are announced all the time cost one listing a MinInterval.
func TestListIsNotReadAllTheTime(t *testing.T) {
	session(t, Options{}, func(t *testing.T, p *peer, c *Client) {
		_, failed := tools(t, c)
		p.answer(p.hear("tools/list"), `{"tools":[]}`)
		wantErr(t, within(t, failed), nil)
		for range 10 {
			p.say(`"method":"notifications/tools/list_changed"`)
		}
		p.quiet(client.DefaultMinInterval / 2)
		p.answer(p.hear("tools/list"), `{"tools":[]}`)
		p.quiet(time.Minute)
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
		p.quiet(DefaultVisitWait / 2)
		p.say(`"method":"notifications/elicitation/complete","params":{"elicitationId":"e1"}`)
		p.answer(p.hear("resources/read"), `{"contents":[]}`)
		wantErr(t, within(t, failed), nil)

		failed = ask(t.Context(), c)
		p.say(needsPage, p.hear("resources/read").Message.ID)
		p.quiet(DefaultVisitWait - time.Second)
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

// Against a server that announces a change before each of its answers, List returns what it read: no
// later than after one reading that began after the call, and marked.
func TestListReturns(t *testing.T) {
	session(t, Options{}, func(t *testing.T, p *peer, c *Client) {
		if !c.Stale("tools/list") {
			t.Error("a list that nobody has read is fresh")
		}
		reads := 0
		go func() {
			for o := range p.sent {
				if o.Message.Method != "tools/list" {
					t.Error(o.Message.Method)
				}
				reads++
				p.say(`"method":"notifications/tools/list_changed"`)
				p.answer(o, fmt.Sprintf(`{"tools":[{"name":"t%d","inputSchema":{"type":"object"}}]}`, reads))
			}
		}()
		defer func() {
			wantErr(t, c.Close(t.Context()), nil)
			close(p.sent)
		}()
		for n := 1; n <= 5; n++ {
			began, before := time.Now(), reads
			got, err := c.Tools(t.Context())
			if err != nil || len(got) != 1 || got[0].Name != fmt.Sprintf("t%d", reads) || !c.Stale("tools/list") {
				t.Error(got, err)
			}
			if took := time.Since(began); reads-before > 2 || took > 2*client.DefaultMinInterval || n == 1 && took != 0 {
				t.Errorf("call %d: %d readings, %v", n, reads-before, took)
			}
		}
	})
	// What is under way when List is called does not count: it may be older than what was announced.
	session(t, Options{Mirror: client.Mirror{MinInterval: lifecycle.NoTimeout}}, func(t *testing.T, p *peer, c *Client) {
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
		// A reading that ends with its session is none.
		p.say(`"method":"notifications/tools/list_changed"`)
		p.hear("tools/list")
		third, failed3 := tools(t, c)
		synctest.Wait()
		p.in <- news{err: links.ErrSessionGone}
		p.shake()
		p.answer(p.hear("tools/list"), `{"tools":[`+addTool+`]}`)
		if got := within(t, third); len(got) != 1 {
			t.Error(got)
		}
		wantErr(t, within(t, failed3), nil)
	})
}
