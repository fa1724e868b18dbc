package limits_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/limits"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// roomy are limits that admit large inputs to the parts that keep them.
var roomy = lifecycle.Limits{Text: 64 << 20, Schema: 64 << 20, Batch: 1 << 20, Inbound: 1 << 20, Outbound: 1 << 20, Subscriptions: 1 << 20}

// paramsOf are params of a server's methods, with shapes in place of $.
var paramsOf = map[string][]string{
	"initialize": {
		`{"protocolVersion":$,"capabilities":{},"clientInfo":{"name":"a","version":"1"}}`, `{"protocolVersion":"2025-11-25","capabilities":$,"clientInfo":{"name":"a","version":"1"}}`,
		`{"protocolVersion":"2025-11-25","capabilities":{"experimental":$},"clientInfo":{"name":"a","version":"1"}}`, `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":$,"version":"1"}}`,
		`{"protocolVersion":"2025-11-25","capabilities":{"elicitation":$,"sampling":{"tools":$}},"clientInfo":{"name":"a","version":"1","description":$,"websiteUrl":$,"icons":$}}`,
	},
	"ping":                  {`{"_meta":$}`, `$`},
	"tools/list":            {`{"cursor":$}`},
	"tools/call":            {`{"name":$}`, `{"name":"t","arguments":$}`, `{"name":"t","arguments":{"a":$,"b":$}}`, `{"name":"t","arguments":{"a":[]},"_meta":{"progressToken":$}}`, `{"name":"t","_meta":$}`},
	"resources/read":        {`{"uri":$}`},
	"resources/subscribe":   {`{"uri":$}`},
	"resources/unsubscribe": {`{"uri":$}`},
	"prompts/get":           {`{"name":$}`, `{"name":"p","arguments":$}`},
	"completion/complete":   {`{"ref":$,"argument":{"name":"a","value":"b"}}`, `{"ref":{"type":"ref/resource","uri":$},"argument":{"name":"a","value":"b"}}`, `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":$}}`, `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"b"},"context":{"arguments":$}}`},
	"logging/setLevel":      {`{"level":$}`},
	"sampling/createMessage": {`{"maxTokens":1,"messages":$}`, `{"maxTokens":1,"messages":[],"stopSequences":$}`, `{"maxTokens":1,"messages":[],"modelPreferences":{"hints":$}}`, `{"maxTokens":$,"messages":[],"metadata":$}`, `{"maxTokens":1,"messages":[{"role":"user","content":{"type":"text","text":$}}]}`,
		`{"maxTokens":1,"messages":[],"tools":$,"toolChoice":$}`, `{"maxTokens":1,"messages":[{"role":"assistant","content":{"type":"tool_use","id":$,"name":$,"input":$}}]}`,
		`{"maxTokens":1,"messages":[{"role":"assistant","content":{"type":"tool_use","id":"a","name":"t","input":{}}},{"role":"user","content":{"type":"tool_result","toolUseId":"a","content":$}}]}`},
	"notifications/elicitation/complete": {`{"elicitationId":$}`},
	"elicitation/create":                 {`{"mode":"url","message":"m","url":$,"elicitationId":$}`, `{"message":"m","requestedSchema":{"$schema":$,"type":"object","properties":{"a":{"type":"array","items":{"anyOf":$},"default":$}}}}`, `{"message":$,"requestedSchema":{"type":"object","properties":{}}}`, `{"message":"m","requestedSchema":$}`, `{"message":"m","requestedSchema":{"type":"object","properties":$}}`, `{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","enum":$}},"required":$}}`, `{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"number","minimum":$,"default":$}}}}`},
	"roots/list":                         {`{"_meta":$}`},
	"x/served":                           {`$`, `{"a":$}`},
	"notifications/cancelled":            {`{"requestId":$}`, `{"requestId":1,"reason":$}`},
	"notifications/progress":             {`{"progressToken":$,"progress":1}`, `{"progressToken":1,"progress":$}`, `{"progressToken":1,"progress":1,"message":$}`},
	"notifications/message":              {`{"level":"info","data":$}`, `{"level":"info","logger":$,"data":1}`},
	"notifications/x":                    {`$`},
	"notifications/initialized":          {`$`},
	"notifications/resources/updated":    {`{"uri":$}`},
}

// resultsOf are results of the methods, with shapes in place of $.
var resultsOf = map[string][]string{
	"initialize":             {`{"protocolVersion":$,"capabilities":{},"serverInfo":{"name":"a","version":"1"}}`, `{"protocolVersion":"2025-11-25","capabilities":{"experimental":$},"serverInfo":{"name":$,"version":"1"},"instructions":$}`},
	"ping":                   {`{"_meta":$}`},
	"tools/list":             {`{"tools":$}`, `{"tools":[],"nextCursor":$}`, `{"tools":[{"name":$,"inputSchema":{"type":"object"}}]}`, `{"tools":[{"name":"a","inputSchema":$}]}`, `{"tools":[{"name":"a","inputSchema":{"type":"object"},"annotations":$}]}`, `{"tools":[{"name":"a","inputSchema":{"type":"object"},"icons":$,"execution":$}]}`, `{"tools":[{"name":"a","inputSchema":{"type":"object"},"icons":[{"src":$,"sizes":$}]}]}`},
	"tools/call":             {`{"content":$}`, `{"content":[],"structuredContent":$}`, `{"content":[{"type":"text","text":$}]}`, `{"content":[{"type":$}]}`, `{"content":[{"type":"image","mimeType":"a/b","data":$}]}`, `{"content":[],"isError":$}`, `{"content":[5,{"type":"text","text":$}]}`},
	"resources/list":         {`{"resources":$}`, `{"resources":[{"uri":$,"name":$}]}`, `{"resources":[{"uri":"a:b","name":"b","annotations":{"audience":$}}]}`},
	"resources/read":         {`{"contents":$}`, `{"contents":[{"uri":"a:b","text":$}]}`, `{"contents":[{"uri":"a:b","blob":$}]}`},
	"prompts/list":           {`{"prompts":$}`, `{"prompts":[{"name":"a","arguments":$}]}`},
	"prompts/get":            {`{"messages":$}`, `{"messages":[{"role":"user","content":$}]}`},
	"completion/complete":    {`{"completion":{"values":$}}`, `{"completion":$}`},
	"roots/list":             {`{"roots":$}`, `{"roots":[{"uri":$,"name":$}]}`},
	"sampling/createMessage": {`{"role":"user","content":$,"model":"m"}`, `{"role":"user","content":[{"type":"tool_use","id":$,"name":"t","input":$}],"model":"m"}`, `{"role":"user","content":{"type":"text","text":$},"model":$}`},
	"elicitation/create":     {`{"action":"accept","content":$}`, `{"action":"accept","content":{"a":$}}`, `{"action":$}`, `{"action":"decline","content":$}`},
	"x/served":               {`$`, `{"a":$}`},
}

// listsOf are results with as many items as possible, equal or invalid.
var listsOf = map[string][]func(int) string{
	"tools/list": {
		many(`{"tools":[`, `{"name":"","inputSchema":{"type":"object"}}`, `]}`), many(`{"tools":[5,`, `{"name":"%d","inputSchema":{"type":"object"}}`, `]}`),
		many(`{"tools":[`, `{"name":"","inputSchema":5}`, `]}`), many(`{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{`, `"k%d":{}`, `}}}]}`),
		many(`{"tools":[{"name":"a","inputSchema":{"type":"object"},"icons":[`, `{"src":"","sizes":["",""]}`, `]}]}`), many(`{"tools":[{"name":"a","inputSchema":{"type":"object"},"icons":[`, `5`, `]}]}`),
		many(`{"tools":[{"name":"a","inputSchema":{"type":"object"},"_meta":5,"icons":[5,`, `{"src":""}`, `]}]}`), many(`{"tools":[`, `{"name":"","inputSchema":{"type":"object"},"annotations":{"title":5,"readOnlyHint":5}}`, `]}`),
	},
	"prompts/list": {
		many(`{"prompts":[`, `{"name":""}`, `]}`), many(`{"prompts":[`, `{"name":"","title":null}`, `]}`), many(`{"prompts":[5,`, `{"name":"%d"}`, `]}`),
		many(`{"prompts":[{"name":"","arguments":[`, `{"name":""}`, `]}]}`), many(`{"prompts":[{"name":"","arguments":[5,`, `{"name":""}`, `]}]}`),
	},
	"resources/list":           {many(`{"resources":[`, `{"uri":"","name":""}`, `]}`), many(`{"resources":[{"uri":"","name":"","annotations":{"audience":[`, `"user"`, `]}}]}`)},
	"resources/templates/list": {many(`{"resourceTemplates":[`, `{"uriTemplate":"","name":""}`, `]}`), many(`{"resourceTemplates":[{"uriTemplate":"`, `{a%d}`, `","name":""}]}`)},
	"resources/read":           {many(`{"contents":[`, `{"uri":"","text":""}`, `]}`), many(`{"contents":[5,`, `{"uri":"","text":""}`, `]}`)},
	"tools/call": {
		many(`{"content":[`, `{"type":"text","text":""}`, `]}`), many(`{"content":[`, `{"type":""}`, `]}`), many(`{"content":[5,`, `{"type":"text","text":""}`, `]}`),
		many(`{"content":[`, `{"type":"resource_link","uri":"","name":""}`, `]}`), many(`{"content":[],"structuredContent":{`, `"a%d":[]`, `}}`),
	},
	"prompts/get":         {many(`{"messages":[`, `{"role":"user","content":{"type":"text","text":""}}`, `]}`)},
	"completion/complete": {many(`{"completion":{"values":[`, `""`, `]}}`)},
	"roots/list":          {many(`{"roots":[`, `{"uri":""}`, `]}`), many(`{"roots":[`, `{"uri":"file:///%d","name":""}`, `]}`)},
	"elicitation/create":  {many(`{"action":"accept","content":{`, `"%d":1`, `}}`), many(`{"action":"accept","content":{`, `"a":"x"`, `}}`)},
	"initialize":          {many(`{"protocolVersion":"","serverInfo":{"name":"","version":""},"capabilities":{"experimental":{`, `"%d":{}`, `}}}`)},
}

// to returns what takes messages into a State.
func to[S interface {
	Receive(time.Time, jsonrpc.Message) (S, lifecycle.Output)
}](s S) func(jsonrpc.Message) {
	return func(m jsonrpc.Message) {
		_, out := s.Receive(t0, m)
		sink = out.Events
	}
}

// taking are the requests and notifications of paramsOf as entries for receive,
// including decoding.
func taking(name string, receive func(jsonrpc.Message)) (list []entry) {
	for method, templates := range paramsOf {
		head := fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":`, method)
		if strings.HasPrefix(method, "notifications/") {
			head = fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":`, method)
		}
		most := float64(limits.PerMessage)
		if method == "tools/call" || method == "initialize" { // content that is read into a table by name
			most = limits.PerName
		}
		list = append(list, filled(name+", "+method, templates, most, func(text string) func() {
			line := []byte(head + text + "}")
			return func() { receive(jsonrpc.Decode(line)) }
		})...)
	}
	return list
}

func serverEntries(t *testing.T) (list []entry) {
	s := listing(t, roomy, lifecycle.Policy{})
	list = append(list, taking("catalog", to(s))...)
	list = append(list, taking("passing through", to(listing(t, roomy, lifecycle.Policy{PassThrough: true})))...)
	for _, p := range []protocol.Params{
		protocol.ListRootsParams{}, protocol.PingParams{}, protocol.CreateMessageParams{MaxTokens: 1},
		protocol.RawRequest{Name: "elicitation/create", Body: `{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"number"}},"required":["a"]}}`},
		protocol.RawRequest{Name: "x/served"},
	} {
		next, out, err := s.Request(t0, p, server.RequestOptions{})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, answering("server", to(next), protocol.MethodName(p), ids(out)[0])...)
	}
	return list
}

// answering are the results for an open request, and errors, as entries for
// receive.
func answering(name string, receive func(jsonrpc.Message), method, id string) (list []entry) {
	one, item := float64(limits.PerMessage), float64(limits.PerListItem)
	if strings.Contains(name, "schema") || method == "initialize" {
		one, item = limits.PerName, limits.PerName
	}
	head := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,`, id)
	take := func(text string) func() {
		line := []byte(head + text + "}")
		return func() { receive(jsonrpc.Decode(line)) }
	}
	result := func(text string) func() { return take(`"result":` + text) }
	list = append(list, filled(name+", result of "+method, resultsOf[method], one, result)...)
	for i, of := range listsOf[method] {
		list = append(list, entry{name: fmt.Sprintf("%s, result of %s, list %d", name, method, i), most: item, of: func(n int) func() { return result(of(n)) }})
	}
	if method == "ping" || method == "tools/call" {
		list = append(list, filled(name+", error of "+method, []string{
			`"error":{"code":1,"message":$}`, `"error":{"code":1,"message":"m","data":$}`, `"error":$`, `"error":{"code":1,"message":"m"},"x":$`, `"result":$,"error":1`,
		}, limits.PerMessage, take)...)
	}
	return list
}

func clientEntries(t *testing.T) (list []entry) {
	s := readyClient(t, roomy)
	list = taking("client", to(s))
	list = append(list, answering("client", to(theClient(t, roomy)), "initialize", "1")...)
	output := jsonrpc.Raw(`{"type":"object","properties":{"a":{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"number"}]}}}}`)
	for _, c := range []struct {
		p   protocol.Params
		opt client.RequestOptions
	}{
		{protocol.ListToolsParams{}, client.RequestOptions{}}, {protocol.CallToolParams{Name: "a"}, client.RequestOptions{}},
		{protocol.CallToolParams{Name: "a"}, client.RequestOptions{OutputSchema: output}}, {protocol.ListResourcesParams{}, client.RequestOptions{}},
		{protocol.ListResourceTemplatesParams{}, client.RequestOptions{}}, {protocol.ReadResourceParams{URI: "a:b"}, client.RequestOptions{}},
		{protocol.ListPromptsParams{}, client.RequestOptions{}}, {protocol.GetPromptParams{Name: "a"}, client.RequestOptions{}},
		{protocol.CompleteParams{Ref: protocol.Reference{Type: protocol.RefPrompt, Name: "a"}}, client.RequestOptions{}},
		{protocol.PingParams{}, client.RequestOptions{}}, {protocol.RawRequest{Name: "x/served"}, client.RequestOptions{}},
	} {
		next, out, err := s.Request(t0, c.p, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		what := "client"
		if c.opt.OutputSchema != "" {
			what = "client with an output schema"
		}
		list = append(list, answering(what, to(next), protocol.MethodName(c.p), ids(out)[0])...)
	}
	return list
}
