package model

import (
	"slices"
	"strings"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Random steps for requests without a session.

// RandomEras is RandomSetup for a Machine that supports revisions without a session, with or without
// others, or for a session Machine with a peer that does not know that.
func RandomEras(src Source, party lifecycle.Party) Setup {
	s := RandomSetup(src, party)
	d := dice{src}
	s.Strange = true
	if d.one(5) {
		return s
	}
	s.Stateless = protocol.StatelessRevisions()
	if d.one(3) {
		s.Revisions = nil
		s.Serve = slices.DeleteFunc(s.Serve, func(name string) bool { _, ok := statelessTables[name]; return standard(name) && !ok })
	}
	s.Limits.Inbound = pick(d, []int{s.Limits.Inbound, 8})
	return s
}

// aloneParams are params of requests without a session.
var aloneParams = map[string]texts{
	"server/discover": {[]string{"{}", `{"x":1}`}, []string{`{"_meta":5}`}},
	"subscriptions/listen": {[]string{
		`{"notifications":{}}`, `{"notifications":{"toolsListChanged":true}}`,
		`{"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["file:///a"]}}`,
		`{"notifications":{"resourcesListChanged":false,"resourceSubscriptions":["file:///dir/","file:///dir/","/no/scheme"]}}`,
		`{"notifications":{"resourceSubscriptions":["file:///a","file:///dir/b","other:x"]}}`,
	}, []string{"{}", `{"notifications":5}`, `{"notifications":{"toolsListChanged":1}}`, `{"notifications":{"resourceSubscriptions":[5]}}`}},
	"tools/call": {[]string{
		`{"name":"t1","inputResponses":{"k":{"action":"decline"}},"requestState":"s"}`, `{"name":"t1","inputResponses":null,"requestState":null}`, `{"name":"t1","requestState":""}`,
	}, []string{`{"name":"t1","inputResponses":[]}`, `{"name":"t1","inputResponses":{"k":5}}`, `{"name":"gone","requestState":5}`}},
	"resources/read": {[]string{`{"uri":"file:///a","inputResponses":{"k":{}}}`}, []string{`{"uri":"file:///a","inputResponses":{"k":[]}}`}},
	"prompts/get":    {[]string{`{"name":"easy","inputResponses":{}}`}, []string{`{"name":"easy","inputResponses":5}`}},
}

// envelopes are envelopes of requests, without their revision and the capabilities of the client.
var envelopes = texts{
	[]string{
		"", `,"io.modelcontextprotocol/clientInfo":{"name":"peer","version":"1"}`, `,"io.modelcontextprotocol/clientInfo":null`, `,"io.modelcontextprotocol/x":[1]`,
		`,"io.modelcontextprotocol/logLevel":"warning"`, `,"io.modelcontextprotocol/logLevel":"debug"`, `,"io.modelcontextprotocol/logLevel":"emergency","k":{}`,
	},
	[]string{`,"io.modelcontextprotocol/clientInfo":{"name":"peer"}`, `,"io.modelcontextprotocol/clientInfo":5`, `,"io.modelcontextprotocol/logLevel":"loud"`, `,"io.modelcontextprotocol/logLevel":5`},
}

// askingTexts are results that only requests without a session have.
var askingTexts = map[string][]string{
	"tools/call": {
		`{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list"}}}`, `{"resultType":"input_required","requestState":"s"}`,
		`{"resultType":"input_required","inputRequests":{"a":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":5}},"b":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}},"requestState":"s"}`,
		`{"resultType":"input_required","inputRequests":{"u":{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://a.example/1"}}},"content":null}`,
		`{"resultType":"input_required","inputRequests":{"t":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":5,"tools":[]}}}}`,
		`{"resultType":"input_required","inputRequests":{}}`, `{"resultType":"input_required","inputRequests":{"p":{"method":"ping"}},"requestState":"s"}`,
		`{"resultType":"input_required","inputRequests":{"s":{"method":"sampling/createMessage"}}}`, `{"resultType":"input_required","requestState":5}`,
		`{"resultType":"complete","content":[]}`, `{"resultType":null,"content":[],"_meta":{"x":1}}`, `{"resultType":"later","content":[]}`, `{"resultType":5,"content":[]}`,
		`{"content":[],"structuredContent":[1]}`, `{"content":[],"structuredContent":"x"}`, `{"content":[{"type":"text","text":"x"}],"structuredContent":5,"_meta":null}`,
	},
	"prompts/get":         {`{"resultType":"input_required","requestState":"s"}`, `{"resultType":"complete","messages":[]}`},
	"resources/read":      {`{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list","params":{}}}}`},
	"completion/complete": {`{"resultType":"input_required","requestState":"s"}`, `{"resultType":"complete","completion":{"values":[]}}`},
	"custom/one":          {`{"resultType":"own","a":1}`, `{"resultType":null}`, `{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":5}}`},
}

// reservedErrors have codes with another meaning, or with a meaning that depends on the session.
var reservedErrors = []*jsonrpc.Error{
	{Code: -32002, Message: "not found"}, {Code: -32010, Message: "odd"}, {Code: -32021, Message: "lacks"}, {Code: -32021, Message: "lacks", Data: `{"requiredCapabilities":{}}`},
	{Code: -32050, Message: "reserved"}, {Code: -32042, Message: "pages", Data: `{"elicitations":[{"mode":"url","message":"m","url":"https://a.example/1","elicitationId":"e1"}]}`},
}

// standalone draws a request without a session, mostly a valid one.
func (g *Generator) standalone() string {
	method := g.method()
	switch g.d.Intn(6) {
	case 0, 1:
		method = "subscriptions/listen"
	case 2:
		method = pick(g.d, []string{"server/discover", "tools/call", "tools/call"})
	}
	params := ""
	switch t := aloneParams[method]; {
	case len(t.bad) > 0 && g.bad(6):
		params = pick(g.d, t.bad)
	case len(t.good) > 0 && (paramTexts[method].good == nil || g.d.one(2)):
		params = pick(g.d, t.good)
	default:
		params = g.params(method)
	}
	if params == "" {
		params = "{}"
	}
	if g.bad(12) || !strings.HasPrefix(params, "{") || strings.Contains(params, "_meta") {
		return g.request(method, params)
	}
	return g.request(method, withMeta(params, g.says()))
}

// says draws the envelope of a request.
func (g *Generator) says() string {
	version, caps, more := `"2026-07-28"`, pick(g.d, clientCaps[:4]), pick(g.d, envelopes.good)
	if g.bad(10) {
		version = pick(g.d, []string{`"2025-06-18"`, `"2026-07-28 "`, "5", "null", `""`})
	}
	if g.bad(10) {
		caps = pick(g.d, []string{"5", "[]", "null", `{"roots":5}`, `{"elicitation":{"url":1}}`})
	}
	if g.bad(8) {
		more = pick(g.d, envelopes.bad)
	}
	if g.d.one(2) {
		more += `,"progressToken":` + pick(g.d, tokenTexts)
	}
	meta := `"io.modelcontextprotocol/protocolVersion":` + version + `,"io.modelcontextprotocol/clientCapabilities":` + caps + more
	if g.bad(10) {
		meta = pick(g.d, []string{`"io.modelcontextprotocol/protocolVersion":` + version, `"io.modelcontextprotocol/clientCapabilities":` + caps}) + more
	}
	return "{" + meta + "}"
}

// connect draws how a client opens its connection.
func (g *Generator) connect() Step {
	s := Step{Op: verbs.OpInitialize, connects: g.alone}
	if g.alone && g.d.one(4) {
		s.Verdict = pick(g.d, []client.Verdict{client.NeedsHandshake, client.Verdict(found[0]), client.Verdict(found[1])})
	}
	return s
}

// found are answers of servers to the probe: valid ones, and invalid ones.
var found = []string{
	`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},"logging":{},"completions":{}},"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}`,
	`{"supportedVersions":["2025-06-18","2026-07-28"],"capabilities":{"tools":{},"resources":{}},"_meta":{"io.modelcontextprotocol/serverInfo":5}}`,
	`{"resultType":null,"supportedVersions":["2026-07-28"],"capabilities":{}}`, "{}", `{"supportedVersions":["2025-06-18","2025-11-25"],"capabilities":{}}`,
	`{"supportedVersions":["1999-01-01"],"capabilities":{}}`, `{"resultType":"input_required","supportedVersions":["2026-07-28"],"capabilities":{}}`, `{"supportedVersions":[5],"capabilities":{}}`,
}

// refusals are errors by which a server reveals its era.
var refusals = []string{
	`{"code":-32601,"message":"m"}`, `{"code":-32600,"message":"m"}`, `{"code":-32022,"message":"m","data":{"supported":["2025-06-18","2024-11-05"],"requested":"x"}}`, `{"code":-32022,"message":"m"}`,
	`{"code":-32020,"message":"m"}`, `{"code":-32021,"message":"m","data":{"requiredCapabilities":{}}}`, `{"code":-32601,"message":"m","data":{"supported":["2026-07-28"]}}`, `{"code":-32022,"message":"m","data":{"supported":["2026-07-28"]}}`,
}

// questionTexts are results that ask a client.
var questionTexts = []string{
	`{"resultType":"input_required","requestState":"s"}`, `{"resultType":"input_required","inputRequests":{"r":{"method":"roots/list"}}}`,
	`{"resultType":"input_required","inputRequests":{"a":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":5}},"b":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}},"requestState":"t"}`,
	`{"resultType":"input_required","inputRequests":{"a":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":5}},"r":{"method":"roots/list","params":{}}}}`,
	`{"resultType":"input_required","inputRequests":{"b":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}}}`,
	`{"resultType":"input_required","inputRequests":{"a":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":5}}},"requestState":""}`,
	`{"resultType":"input_required"}`, `{"resultType":"input_required","inputRequests":{"p":{"method":"ping"}}}`, `{"resultType":"input_required","inputRequests":[]}`, `{"resultType":"later","content":[]}`,
	`{"resultType":"input_required","requestState":5}`, `{"resultType":"input_required","inputRequests":{"s":{"method":"sampling/createMessage"}}}`, `{"resultType":5}`,
}

// answersAlone draws the rest of an answer that only servers without sessions send, or "".
func (g *Generator) answersAlone(req lifecycle.ReqInfo) string {
	switch {
	case req.Method == "server/discover" && g.d.one(4), req.Method == "initialize" && g.d.one(3):
		return `,"error":` + pick(g.d, refusals) + "}"
	case req.Method == "server/discover" && g.d.one(4):
		return `,"result":` + pick(g.d, found) + "}"
	case req.Method == "server/discover":
		return `,"result":` + pick(g.d, found[:3]) + "}"
	case slices.Contains(askers, req.Method) && g.d.Intn(3) > 0:
		return `,"result":` + pick(g.d, append(questionTexts[:6:6], pick(g.d, questionTexts[6:]))) + "}"
	case req.Method == "subscriptions/listen":
		return `,"result":{"resultType":"complete"}}`
	}
	return ""
}

// change draws a notification of a subscription, or the cancellation of one.
func (g *Generator) change(m verbs.Machine) string {
	id := pick(g.d, []string{"1", "2", "3", `"1"`, "99", "null"})
	for r := range m.Outbound() {
		if r.Method == "subscriptions/listen" && g.d.Intn(3) > 0 {
			id = r.ID.String()
		}
	}
	meta := `"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + "}"
	switch g.d.Intn(6) {
	case 0, 1:
		filter := pick(g.d, []string{`{}`, `{"toolsListChanged":true}`, `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["file:///a"]}`})
		return g.note(acknowledged, `{"notifications":`+filter+","+meta+"}")
	case 2:
		return g.note("notifications/cancelled", `{"requestId":`+id+"}")
	case 3:
		return g.note("notifications/resources/updated", `{"uri":"file:///a",`+meta+"}")
	case 4:
		return g.note("notifications/tools/list_changed", "")
	}
	return g.note("notifications/prompts/list_changed", "{"+meta+"}")
}

// asksFor draws a request of a client that its server may answer with questions, or a subscription.
func (g *Generator) asksFor(m verbs.Machine) Step {
	params := pick(g.d, []func() protocol.Params{
		rawParams("tools/call", `{"name":"t1"}`), rawParams("tools/call", `{"name":"t1","_meta":{"io.modelcontextprotocol/protocolVersion":"x","k":1}}`), rawParams("prompts/get", `{"name":"easy"}`), rawParams("resources/read", `{"uri":"file:///a"}`),
		rawParams("subscriptions/listen", `{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["file:///a"]}}`),
	})
	return Step{Op: verbs.OpRequest, Params: params, Options: g.options(m, params)}
}
