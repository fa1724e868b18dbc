package session

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/protocol"
)

// What a server without a session asks is a member of a result, and its answer one of the request that is made again. The
// context of the function that answers ends with it all the same, and nothing of it is kept.
func TestAskedWithoutASession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, cfg := newPeer(t), config()
		cfg.Revisions = protocol.AllRevisions()
		var of []context.Context
		c, err := New(cfg, p, Options{Serve: func(ctx context.Context, _ *Client, _ client.Event) (protocol.Result, error) {
			if of = append(of, ctx); len(of) == 2 {
				return nil, errors.New("no")
			}
			return sampled("fine"), nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(t.Context())
		go func() {
			p.answer(p.hear("server/discover"), `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}`)
		}()
		wantErr(t, c.Open(t.Context()), nil)
		for i := range 3 {
			_, failed := later(func() (protocol.CallToolResult, error) {
				return c.CallTool(t.Context(), protocol.CallToolParams{Name: "add"}, RequestOptions{})
			})
			p.answer(p.hear("tools/call"), `{"resultType":"input_required","inputRequests":{"a":{"method":"sampling/createMessage","params":{"maxTokens":1,"messages":[{"role":"user","content":{"type":"text","text":"x"}}]}}}}`)
			if i != 1 {
				p.answer(p.hear("tools/call"), `{"resultType":"complete","content":[]}`)
			}
			if err := within(t, failed); (err != nil) != (i == 1) {
				t.Error(i, err)
			}
			synctest.Wait()
			if of[len(of)-1].Err() == nil || len(c.serving) != 0 {
				t.Error(i, "the context goes on;", len(c.serving), "are kept")
			}
		}
	})
}
