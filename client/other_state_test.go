package client_test

import (
	"errors"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// What belongs to a session of one State is of no use to another one, although that has the
// same wire ids: a Pager is refused once it has asked. One that has not asked yet is of no session.
func TestBesideAnotherState(t *testing.T) {
	first := session(t, client.Config{})
	unasked := mustPager(t, "tools/list")
	pager, s, out, err := unasked.Next(first, t0, client.RequestOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, out = s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,`+tools("b")+`}`))
	pager, _, mine, err := pager.Page(out.Events[0])
	if err != nil || !mine || pager.Done() {
		t.Fatal(err, mine, pager.Done())
	}
	restored, err := client.Restore(client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}, first.Snapshot(), t0.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	for name, other := range map[string]client.State{"of the same Config": session(t, client.Config{}), "restored": restored} {
		if _, _, _, err := pager.Next(other, t0, client.RequestOptions{}); !errors.Is(err, lifecycle.ErrGone) {
			t.Errorf("%s: a Pager of another State: %v", name, err)
		}
		if bound, _, out, err := unasked.Next(other, t0, client.RequestOptions{}); err != nil || len(out.Send) != 1 || bound.Done() {
			t.Errorf("%s: a Pager of no session: %v", name, err)
		}
	}
}

// What a client keeps of its own requests has the limits of Limits, also when it comes back
// from a snapshot: forms and schemas that of Schema, uris that of Text, whichever is larger.
func TestKeptRequestsAreLimited(t *testing.T) {
	config := func(schema, text int) client.Config {
		return client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}, Limits: lifecycle.Limits{Schema: schema, Text: text}}
	}
	tool := protocol.CallToolParams{Name: "t"}
	wide := client.RequestOptions{OutputSchema: `{"type":"object"}`} // 17 bytes
	for _, c := range []struct {
		schema, text int
		p            protocol.Params
		opt          client.RequestOptions
		ok           bool
	}{
		{17, 5, tool, wide, true}, {16, 50, tool, wide, false}, {17, 50, tool, wide, true},
		{5, 17, protocol.SubscribeParams{URI: "x://567890123456"}, client.RequestOptions{}, true},
		{50, 15, protocol.SubscribeParams{URI: "x://567890123456"}, client.RequestOptions{}, false},
		{50, 15, protocol.UnsubscribeParams{URI: "x://567890123456"}, client.RequestOptions{}, false},
		{5, 5, protocol.ReadResourceParams{URI: "x://567890123456"}, client.RequestOptions{}, true}, // not kept
	} {
		s := session(t, config(c.schema, c.text))
		if _, _, err := s.Request(t0, c.p, c.opt); (err == nil) != c.ok || !c.ok && !errors.Is(err, lifecycle.ErrLimit) {
			t.Errorf("%v under %d and %d: %v", c.p, c.schema, c.text, err)
		}
		s, out := request(t, session(t, config(1000, 1000)), c.p, c.opt)
		if _, err := client.Restore(config(c.schema, c.text), s.Snapshot(), t0); (err == nil) != c.ok || !c.ok && !errors.Is(err, lifecycle.ErrLimit) {
			t.Errorf("%v restored under %d and %d: %v", c.p, c.schema, c.text, err)
		}
		if _, subscribes := c.p.(protocol.SubscribeParams); subscribes {
			s, _ = s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":`+string(out.Send[0].Message.ID.Append(nil))+`,"result":{}}`))
			if _, err := client.Restore(config(c.schema, c.text), s.Snapshot(), t0); (err == nil) != c.ok {
				t.Errorf("a subscription restored under %d and %d: %v", c.schema, c.text, err)
			}
		}
	}
}
