package model

import (
	"math"
	"slices"
	"time"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// verb draws a verb of the application with arguments that mostly fit.
func (g *Generator) verb(m verbs.Machine) Step {
	phase := m.Phase()
	switch {
	case phase == lifecycle.ShuttingDown && g.d.one(4):
		return Step{Op: verbs.OpRequest, Params: rawParams("ping", "")} // the only one that may still be sent
	case !g.Quiet && phase.Live() && m.Status().Inbound > 0 && g.d.one(40):
		return Step{Op: verbs.OpInputClosed}
	}
	if g.party == lifecycle.Client && phase == lifecycle.Uninitialized && g.d.Intn(3) > 0 {
		return g.connect()
	}
	if !phase.Live() && g.d.Intn(2) == 0 {
		return Step{Op: verbs.OpReset}
	}
	if _, waits := m.NextDeadline(); phase == lifecycle.ShuttingDown && !waits && g.d.one(2) {
		return Step{Op: verbs.OpDisconnected}
	}
	if g.alone && g.party == lifecycle.Client && m.Revision().Stateless() && g.d.one(4) {
		return g.asksFor(m)
	}
	choice, open := g.d.Intn(20), m.Status()
	if g.alone && g.party == lifecycle.Server && open.Inbound > 0 && g.d.one(6) {
		return Step{Op: verbs.OpNotify, Params: rawParams("notifications/message", `{"level":"`+pick(g.d, levels)+`","data":1}`), Call: g.call(m)}
	}
	if open.Inbound > 0 && g.d.one(2) {
		choice = 4 + g.d.Intn(6) // otherwise few calls get their answer
	}
	if choice >= 4 && choice <= 9 && open.Inbound == 0 || (choice == 12 || choice == 13) && open.Outbound == 0 {
		if !g.bad(2) {
			choice = 0 // nothing to answer or to cancel
		}
	}
	switch choice {
	case 0, 1, 2, 3:
		params := g.requestParams()
		return Step{Op: verbs.OpRequest, Params: params, Options: g.options(m, params)}
	case 4, 5:
		return g.answer(m)
	case 6:
		s := g.answer(m)
		s.Op = verbs.OpFinish
		return s
	case 7:
		return Step{Op: verbs.OpFail, Call: g.call(m), Failure: g.failure()}
	case 8, 9:
		return Step{Op: verbs.OpProgress, Call: g.call(m), Progress: g.report()}
	case 10, 11:
		return Step{Op: verbs.OpNotify, Params: g.noteParams(), Call: g.within(m)}
	case 12, 13:
		return Step{Op: verbs.OpCancel, Req: g.req(m), Reason: pick(g.d, []string{"", "changed my mind"})}
	case 14:
		switch g.d.Intn(3) {
		case 0:
			return Step{Op: verbs.OpSendFailed, Req: g.req(m), NoCause: g.d.one(3)}
		case 1:
			return Step{Op: verbs.OpResponseLost, Req: g.req(m), NoCause: g.d.one(3)}
		}
		if g.party == lifecycle.Client && g.d.one(2) {
			return Step{Op: verbs.OpPause, Req: g.req(m), Paused: g.d.one(2)}
		}
		return Step{Op: verbs.OpAbandon, Call: g.call(m)}
	case 15:
		return Step{Op: verbs.OpOffer, Offer: g.offer()}
	case 16:
		if !g.Quiet && g.d.one(3) {
			return g.end()
		}
	}
	return Step{Op: verbs.OpTick}
}

// end draws a step that ends a session, or would begin another.
func (g *Generator) end() Step {
	switch g.d.Intn(8) {
	case 0, 1, 2:
		return Step{Op: verbs.OpShutdown, Grace: pick(g.d, []time.Duration{3 * time.Second, time.Second, 0, -1, math.MaxInt64})}
	case 3:
		return Step{Op: verbs.OpInputClosed}
	case 4:
		return Step{Op: verbs.OpAbort, NoCause: g.d.one(3)}
	case 5:
		return Step{Op: verbs.OpReset}
	case 6:
		return g.connect()
	}
	return Step{Op: verbs.OpDisconnected, NoCause: g.d.one(3)}
}

// call draws a handle: mostly open, otherwise closed, of no request or zero.
func (g *Generator) call(m verbs.Machine) lifecycle.Call {
	if open := slices.Collect(m.Inbound()); len(open) > 0 && !g.bad(4) {
		return pick(g.d, open).Call
	}
	if len(g.calls) > 0 && g.d.Intn(4) > 0 {
		return pick(g.d, g.calls)
	}
	return pick(g.d, []lifecycle.Call{{}, lifecycle.MakeCall(nil, 1<<40, 99), lifecycle.MakeCall(nil, 1<<40, 1)})
}

func (g *Generator) req(m verbs.Machine) lifecycle.Req {
	if open := slices.Collect(m.Outbound()); len(open) > 0 && !g.bad(4) {
		return pick(g.d, open).Req
	}
	if len(g.reqs) > 0 && g.d.Intn(4) > 0 {
		return pick(g.d, g.reqs)
	}
	return pick(g.d, []lifecycle.Req{{}, lifecycle.MakeReq(nil, 99)})
}

func (g *Generator) within(m verbs.Machine) lifecycle.Call {
	if m.Status().Inbound > 0 && g.d.one(2) || g.bad(3) {
		return g.call(m)
	}
	return lifecycle.Call{}
}

func (g *Generator) options(m verbs.Machine, params func() protocol.Params) lifecycle.RequestOptions {
	opt := lifecycle.RequestOptions{Within: g.within(m)}
	if g.d.one(2) {
		opt.Timeout = pick(g.d, []time.Duration{time.Second, 3 * time.Second, lifecycle.NoTimeout, math.MaxInt64})
		opt.Maximum = pick(g.d, []time.Duration{0, 4 * time.Second, 2 * time.Second, lifecycle.NoTimeout})
	}
	if g.bad(8) {
		opt.Timeout = -2
	} else if g.bad(8) {
		opt.Maximum = -2
	}
	if g.d.one(6) {
		opt.Replaces = g.req(m)
	}
	if params != nil && params().Method() == "tools/call" && g.d.one(2) || g.bad(16) {
		opt.OutputSchema = jsonrpc.Raw(pick(g.d, outputTexts))
		if g.bad(8) {
			opt.OutputSchema = "{"
		}
	}
	opt.Progress, opt.ResetOnProgress, opt.ReplaceToken = g.d.one(3), g.d.one(3), g.d.one(6)
	return opt
}

func (g *Generator) failure() *jsonrpc.Error {
	if g.d.one(4) {
		return &jsonrpc.Error{Code: protocol.CodeURLElicitationRequired, Message: "first", Data: jsonrpc.Raw(g.pages())}
	}
	if g.alone && g.d.one(3) {
		return pick(g.d, reservedErrors)
	}
	return pick(g.d, []*jsonrpc.Error{
		{Code: -1, Message: "declined"}, {Code: 7, Message: "<\"&>\n", Data: `{"a":1}`}, {Code: 0, Message: "no code"}, {Code: 1, Data: "{"},
	})
}

// pages draws the data of an error that asks for elicitations first.
func (g *Generator) pages() string {
	if g.bad(3) {
		return pick(g.d, pageTexts.bad)
	}
	return pick(g.d, pageTexts.good)
}

func (g *Generator) report() func() protocol.ProgressParams {
	value := pick(g.d, []float64{1, 2, 3.5, 4, 5, 6, 0, -1})
	if g.bad(6) {
		value = pick(g.d, []float64{math.NaN(), math.Inf(1)})
	}
	total := g.d.Intn(3)
	if g.bad(6) {
		total = 3
	}
	return func() protocol.ProgressParams {
		p := protocol.ProgressParams{Progress: value, Message: "m", ProgressToken: jsonrpc.String("not this")}
		switch total {
		case 2:
			p.Total = protocol.Ptr(9.5)
		case 3:
			p.Total = protocol.Ptr(math.NaN())
		}
		return p
	}
}

// answer draws a result for an open call.
func (g *Generator) answer(m verbs.Machine) Step {
	s := Step{Op: verbs.OpRespond, Call: g.call(m)}
	method := "ping"
	for info := range m.Inbound() {
		if info.Call == s.Call {
			method = info.Method
		}
	}
	switch {
	case g.bad(16):
		return s // a nil result
	case g.bad(16):
		s.Result = raw(pick(g.d, []string{"{", "[]", "", "1", "null", `{"a":1} x`}))
		return s
	case g.bad(16):
		s.Result = func() protocol.Result { return protocol.TextResult("text") }
		return s
	case g.bad(16):
		s.Result = func() protocol.Result { return (*protocol.CallToolResult)(nil) }
		return s
	}
	t := resultTexts[method]
	if odd := askingTexts[method]; g.alone && len(odd) > 0 && g.d.one(2) {
		s.Result = raw(pick(g.d, odd))
		return s
	}
	if f := typedResults[method]; f != nil && g.d.one(3) {
		s.Result = f
	} else if len(t.bad) > 0 && g.bad(6) || len(t.good) == 0 {
		s.Result = raw(pick(g.d, append(t.bad, "{}")))
	} else {
		s.Result = raw(pick(g.d, t.good))
	}
	return s
}

func raw(text string) func() protocol.Result {
	return func() protocol.Result { return protocol.Raw(text) }
}

var typedResults = map[string]func() protocol.Result{
	"tools/call": func() protocol.Result {
		return &protocol.CallToolResult{
			Content:           []protocol.Content{protocol.TextContent("a"), protocol.TextContent("b")},
			StructuredContent: `{"x":1}`, IsError: true,
		}
	},
	"tools/list": func() protocol.Result {
		return protocol.ListToolsResult{Tools: []protocol.Tool{{Name: "t", OutputSchema: wantsA, Annotations: &protocol.ToolAnnotations{ReadOnlyHint: protocol.Ptr(true)}}}}
	},
	"prompts/get": func() protocol.Result {
		return &protocol.GetPromptResult{Messages: []protocol.PromptMessage{{Role: protocol.RoleUser, Content: protocol.TextContent("x")}}}
	},
	"roots/list": func() protocol.Result {
		return &protocol.ListRootsResult{Roots: []protocol.Root{{URI: "file:///x"}}}
	},
	"sampling/createMessage": func() protocol.Result {
		return protocol.CreateMessageResult{Role: protocol.RoleAssistant, Content: []protocol.Content{protocol.TextContent("x")}, Model: "m"}
	},
	"elicitation/create": func() protocol.Result {
		return &protocol.ElicitResult{Action: "accept", Content: map[string]protocol.Raw{"a": "1", "b": `"x"`}}
	},
	"logging/setLevel": func() protocol.Result { return protocol.EmptyResult{} },
}

func (g *Generator) offer() Offer {
	if g.d.one(8) {
		return Offer{Roots: []string{"https://no.file"}}
	}
	o := Offer{Roots: some(g.d, rootNames)}
	if g.d.Intn(3) > 0 {
		o.Tools = some(g.d, toolNames)
	}
	if g.d.one(2) {
		o.Prompts = some(g.d, promptNames)
	}
	if g.d.one(2) {
		o.Resources = some(g.d, resourceNames)
		o.Templates = some(g.d, templateNames)
	}
	return o
}

// loose is a method and params made by the application, in memory that it
// reuses.
type loose struct {
	Name string
	Body []byte
}

func (l *loose) Method() string               { return l.Name }
func (l *loose) AppendJSON(dst []byte) []byte { return append(dst, l.Body...) }

func rawParams(name, body string) func() protocol.Params {
	return func() protocol.Params { return protocol.RawRequest{Name: name, Body: protocol.Raw(body)} }
}

// requestParams draws the params of a request, mostly of one that the Machine may send.
func (g *Generator) requestParams() func() protocol.Params {
	mine, others := toClient, toServer
	if g.party == lifecycle.Client {
		mine, others = others, mine
	}
	switch {
	case g.bad(16):
		return nil
	case g.bad(16):
		name := pick(g.d, append([]string{"initialize", "notifications/initialized", "notifications/progress", "notifications/custom"}, others...))
		return rawParams(name, g.params(name))
	case g.bad(16):
		return rawParams(pick(g.d, mine), pick(g.d, []string{"[", "[]", "5", "{} {}", `"x"`, " "}))
	case g.d.one(16):
		return func() protocol.Params { return &loose{"custom/one", []byte(`{"loose":true}`)} }
	case g.bad(10):
		name := pick(g.d, strangers)
		return rawParams(name, g.params(name))
	case g.d.one(6):
		return g.tokenParams()
	case asks(g.topic, g.party.Peer()) && g.d.Intn(3) > 0:
		name := g.topic
		if name == "resources/subscribe" && g.d.one(4) {
			name = "resources/unsubscribe"
		}
		return rawParams(name, g.params(name))
	case g.d.one(4):
		if list := typedParams[g.party]; len(list) > 0 {
			return pick(g.d, list)
		}
	}
	name := pick(g.d, mine)
	if g.alone && g.party == lifecycle.Client && g.d.one(2) {
		name = pick(g.d, []string{"server/discover", "subscriptions/listen", "tools/call", "tools/call", "resources/read"})
	}
	if t := aloneParams[name]; g.alone && len(t.good) > 0 && paramTexts[name].good == nil {
		return rawParams(name, pick(g.d, append(t.good[:len(t.good):len(t.good)], t.bad[0])))
	}
	return rawParams(name, g.params(name))
}

// tokenParams draws params that bring their own progress token.
func (g *Generator) tokenParams() func() protocol.Params {
	key := pick(g.d, []string{`"progressToken"`, `"progressToken"`, `"progress\u0054oken"`})
	body := `{"_meta":{` + key + `:` + pick(g.d, tokenTexts) + `,"k":1}}`
	return rawParams(pick(g.d, []string{"ping", "custom/one", "ping"}), body)
}

var typedParams = map[lifecycle.Party][]func() protocol.Params{
	lifecycle.Client: {
		func() protocol.Params {
			return &protocol.CallToolParams{Name: "t1", Arguments: `{"a":"<&>"}`, Meta: `{"x":1}`}
		},
		func() protocol.Params { return protocol.CallToolParams{Name: "t1", Arguments: "["} },
		func() protocol.Params { return &protocol.ListToolsParams{Cursor: protocol.Ptr(protocol.Cursor(""))} },
		func() protocol.Params {
			return &protocol.GetPromptParams{Name: "needy", Arguments: map[string]string{"a": "1", "b": "2"}}
		},
		func() protocol.Params { return protocol.SetLevelParams{Level: "error"} },
		func() protocol.Params { return &protocol.SetLevelParams{Level: "loud"} },
		func() protocol.Params { return protocol.PingParams{} },
	},
	lifecycle.Server: {
		func() protocol.Params {
			return &protocol.CreateMessageParams{
				Messages:  []protocol.SamplingMessage{{Role: protocol.RoleUser, Content: []protocol.Content{protocol.TextContent("x")}}},
				MaxTokens: 5, Temperature: protocol.Ptr(0.5), StopSequences: []string{"a", "b"},
				ModelPreferences: &protocol.ModelPreferences{Hints: []protocol.ModelHint{{Name: "m"}}},
			}
		},
		func() protocol.Params { return protocol.ListRootsParams{} },
		func() protocol.Params { return &protocol.PingParams{Meta: `{"x":1}`} },
	},
}

// noteParams draws a notification, mostly one that the Machine may send.
func (g *Generator) noteParams() func() protocol.Params {
	mine, others := notesToClient, notesToServer
	if g.party == lifecycle.Client {
		mine, others = others, mine
	}
	switch {
	case g.bad(10):
		return nil
	case g.bad(8):
		name := pick(g.d, append([]string{"ping", "", "notifications/cancelled", "notifications/progress"}, others...))
		return rawParams(name, g.params(name))
	case g.d.one(8):
		return func() protocol.Params { return &loose{"notifications/custom", []byte(`{}`)} }
	case g.d.one(8):
		return func() protocol.Params { return &protocol.LoggingMessageParams{Level: "error", Data: `{"a":1}`} }
	}
	name := pick(g.d, mine)
	return rawParams(name, g.params(name))
}
