package model

import (
	"fmt"
	"slices"
	"time"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Topics are subjects of random runs, for what they seldom reach
// otherwise: methods, and the end of a session.
func Topics() []string {
	return []string{
		"tools/call", "resources/subscribe", "completion/complete", "elicitation/create", "sampling/createMessage", "notifications/progress",
		"notifications/message", "notifications/resources/updated", "ping", "shutdown",
	}
}

// suit changes the Setup so that its topic occurs.
func (s *Setup) suit(d dice) {
	small := lifecycle.Rate{PerSecond: float64(1 + d.Intn(2)), Burst: d.Intn(4)}
	switch s.Topic {
	case "elicitation/create", "sampling/createMessage":
		s.Revisions = protocol.Revisions()
		if s.Party == lifecycle.Client && !slices.Contains(s.Serve, s.Topic) {
			s.Serve = append(s.Serve, s.Topic)
		}
	case "completion/complete":
		if s.Party == lifecycle.Server && !slices.Contains(s.Serve, s.Topic) {
			s.Serve = append(s.Serve, s.Topic)
		}
	case "notifications/progress":
		s.Limits.Progress = pick(d, []lifecycle.Rate{small, small, {}})
	case "notifications/message":
		s.Logging = s.Party == lifecycle.Server
		s.Limits.Logs = pick(d, []lifecycle.Rate{small, {}})
	case "ping":
		s.Keepalive = lifecycle.Keepalive{Interval: 3 * time.Second, Misses: 1 + d.Intn(2)}
	}
}

// asks reports whether the topic is a request that the party answers.
func asks(topic string, to lifecycle.Party) bool {
	r, ok := tables[topic]
	return ok && !r.note && topic != "ping" && r.to&to != 0
}

// more returns more progress than before.
func (g *Generator) more() float64 {
	g.most += 1 + float64(g.d.Intn(4))/4
	return g.most
}

// topical draws a step of the topic; false if there is none.
func (g *Generator) topical(m verbs.Machine) (Step, bool) {
	at, open, ready := m.Phase(), m.Status(), m.Phase() == lifecycle.Ready
	reqs := slices.Collect(m.Outbound())
	ask := func(opt lifecycle.RequestOptions) (Step, bool) {
		return Step{Op: verbs.OpRequest, Params: rawParams("ping", ""), Options: opt}, true
	}
	hear := func(text string) (Step, bool) { return Step{Op: verbs.OpReceive, Text: text}, true }
	server := g.party == lifecycle.Server
	switch {
	case g.topic == "notifications/progress" && ready:
		switch {
		case open.Inbound > 0 && g.d.one(3):
			p := g.report()
			if value := g.more(); g.d.Intn(3) > 0 {
				p = func() protocol.ProgressParams { return protocol.ProgressParams{Progress: value, Message: "more"} }
			}
			return Step{Op: verbs.OpProgress, Call: g.call(m), Progress: p}, true
		case len(reqs) > 0 && g.d.one(4):
			return hear(g.note(g.topic, g.progress(reqs)))
		case len(reqs) > 0 && g.d.Intn(3) > 0:
			token := string(pick(g.d, reqs).ID.Append(nil))
			return hear(g.note(g.topic, fmt.Sprintf(`{"progressToken":%s,"progress":%v}`, token, g.more())))
		}
		return ask(lifecycle.RequestOptions{Progress: true, ResetOnProgress: g.d.one(2), Timeout: 3 * time.Second})
	case g.topic == "tools/call" && ready && !server && g.d.one(4):
		for _, r := range reqs {
			if r.Method == g.topic {
				return hear(`{"jsonrpc":"2.0","id":` + string(r.ID.Append(nil)) + `,"result":` + pick(g.d, peerTexts[g.topic]) + `}`)
			}
		}
		return Step{Op: verbs.OpRequest, Params: rawParams(g.topic, `{"name":"t3"}`), Options: lifecycle.RequestOptions{OutputSchema: wantsA}}, true
	case g.topic == "notifications/message" && ready && server:
		if g.d.one(4) {
			return hear(g.request("logging/setLevel", `{"level":"`+pick(g.d, levels)+`"}`))
		}
		return Step{Op: verbs.OpNotify, Params: rawParams(g.topic, `{"level":"`+pick(g.d, levels)+`","data":1}`)}, true
	case g.topic == "notifications/message" && ready:
		return hear(g.note(g.topic, `{"level":"`+pick(g.d, levels)+`","data":1}`))
	case g.topic == "notifications/resources/updated" && ready && server:
		if method := pick(g.d, []string{"resources/subscribe", "resources/subscribe", "resources/unsubscribe"}); g.d.one(2) {
			return hear(g.request(method, ""))
		}
		return Step{Op: verbs.OpNotify, Params: rawParams(g.topic, g.params(g.topic))}, true
	case g.topic == "elicitation/create" && ready && g.d.one(3):
		const end = "notifications/elicitation/complete"
		if server {
			return Step{Op: verbs.OpNotify, Params: rawParams(end, g.params(end))}, true
		}
		return hear(g.note(end, ""))
	case g.topic == "ping" && at == lifecycle.Initializing && g.d.Intn(3) > 0:
		return ask(lifecycle.RequestOptions{})
	case g.topic == "ping" && at == lifecycle.Initializing:
		return Step{Op: verbs.OpTick}, true
	case g.topic == "shutdown" && ready && open.Inbound+open.Outbound > 2:
		return Step{Op: verbs.OpShutdown, Grace: time.Minute}, true
	case g.topic == "shutdown" && ready:
		return ask(lifecycle.RequestOptions{Timeout: time.Minute, Progress: g.d.one(2), Within: g.within(m)})
	}
	return Step{}, false
}
