package peerbugs_test

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// hop passes one request from a client to a server and its answer back, directly or
// through a relay, which is a server State and a client State. It returns the params
// at the server's application and the event that ends the request.
type hop struct {
	t      failer
	client verbs.Side // ready ones
	server verbs.Side
	relay  []verbs.Side // none, or a server and a client
}

// message feeds what x sent to y.
func (h *hop) message(out lifecycle.Output, y verbs.Side) (verbs.Side, lifecycle.Output) {
	h.t.Helper()
	if len(out.Send) != 1 {
		h.t.Fatalf("sent %q, want one message", verbs.Lines(out))
	}
	return y.Receive(string(jsonrpc.AppendLine(nil, out.Send[0].Message)))
}

func (h *hop) do(p protocol.Params, opt lifecycle.RequestOptions, answer lifecycle.Answer) (got jsonrpc.Raw, end lifecycle.Event) {
	h.t.Helper()
	must := func(x verbs.Side, out lifecycle.Output, err error) (verbs.Side, lifecycle.Output) {
		h.t.Helper()
		if err != nil {
			h.t.Fatalf("%s: %v", p.Method(), err)
		}
		return x, out
	}
	received := func(out lifecycle.Output) lifecycle.Event {
		h.t.Helper()
		if outcome(out) != "dispatched" {
			h.t.Fatalf("%s: %s", p.Method(), outcome(out))
		}
		return out.Events[0]
	}
	c, out := must(h.client.Request(p, opt))
	var front, back verbs.Side
	var held lifecycle.Event
	if len(h.relay) > 0 {
		front, out = h.message(out, h.relay[0])
		held = received(out)
		back, out = must(h.relay[1].Request(protocol.RawRequest{Name: held.Method, Body: held.Body}, lifecycle.RequestOptions{ReplaceToken: true}))
	}
	s, out := h.message(out, h.server)
	ev := received(out)
	answer.Call = ev.Call
	st, out, err := s.Server().Finish(s.Now, answer)
	_, out = must(s.With(st), out, err)
	if len(h.relay) > 0 {
		_, out = h.message(out, back)
		if len(out.Events) != 1 {
			h.t.Fatalf("%s: the relay gets %s", p.Method(), reports(out))
		}
		st, out, err = front.Server().Finish(front.Now, out.Events[0].Answer(held.Call))
		_, out = must(front.With(st), out, err)
	}
	_, out = h.message(out, c)
	if len(out.Events) != 1 || out.Events[0].Kind != lifecycle.ResponseReceived {
		h.t.Fatalf("%s: the client gets %s", p.Method(), reports(out))
	}
	return ev.Body, out.Events[0]
}

// hops are a direct hop and one through a relay.
func hops(t failer, client, server verbs.Side) map[string]*hop {
	return map[string]*hop{
		"direct":        {t: t, client: client, server: server},
		"through relay": {t: t, client: client, server: server, relay: []verbs.Side{server, client}},
	}
}

// userData draws JSON text with all spellings that another encoder would change:
// numbers beyond a float, escapes, order and repetition of members, spaces.
func userData(t *rapid.T, depth int) string {
	pick := func(list ...string) string { return rapid.SampledFrom(list).Draw(t, "text") }
	kind := 2
	if depth > 0 {
		kind = 4
	}
	gap := func() string { return pick("", "", "", " ", "\t", "  ") }
	switch rapid.IntRange(0, kind).Draw(t, "kind") {
	case 0:
		return pick("9007199254740993", "1e400", "0.1", "1.0", "1", "-0", "-0.0", "1E+2", "123456789012345678901234567890", "0.1000000000000000055511151231257827", "4e-999")
	case 1:
		return pick("null", "true", "false")
	case 2:
		return pick(`""`, `"<a>&b"`, `"\u003ca\u003e"`, `"\/"`, `"/"`, `"\u0041"`, `"é"`, `"\u00e9"`, `"\ud83d\ude00"`, `"\ud800"`, "\"\u2028\"", `"\u0000"`, `"\"\\"`)
	case 3:
		list := []string{}
		for range rapid.IntRange(0, 3).Draw(t, "n") {
			list = append(list, gap()+userData(t, depth-1)+gap())
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	return userObject(t, depth)
}

// userObject draws an object of such text.
func userObject(t *rapid.T, depth int) string {
	list := []string{}
	for range rapid.IntRange(0, 3).Draw(t, "n") {
		key := rapid.SampledFrom([]string{`"b"`, `"a"`, `"a"`, `"A"`, `"<&>"`, `"\u0061"`, `""`, `"null"`, `"name"`, `"_meta"`}).Draw(t, "key")
		list = append(list, fmt.Sprintf("%s%s%s: %s", rapid.SampledFrom([]string{"", " "}).Draw(t, "gap"), key, "", userData(t, depth-1)))
	}
	return "{" + strings.Join(list, ",") + "}"
}
