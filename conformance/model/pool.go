package model

import "strings"

// Texts for messages, by method. The good ones are valid in every
// revision with the method, the bad ones violate the schema. What satisfies the
// schema and is refused by the session is among the good ones: empty names, invalid
// uris, arguments and results that violate the schemas of tools.

type texts struct{ good, bad []string }

var paramTexts = map[string]texts{
	"ping":       {[]string{"", "{}", `{"x":1}`, "null"}, []string{"[]", `{"_meta":5}`, `{"_meta":{"progressToken":1.5}}`}},
	"tools/list": {[]string{"", "{}", `{"cursor":null}`}, []string{`{"cursor":5}`, "[1]", `{"_meta":{"progressToken":{}}}`}},
	"tools/call": {[]string{
		`{"name":"t1"}`, `{"name":"t1","arguments":{"a":[1,2,{"b":"\u00e9"}]}}`, `{"name":"t2","arguments":{"n":3}}`, `{"name":"t2","arguments":{"n":2.0}}`,
		`{"name":"t2","arguments":{"n":0}}`, `{"name":"t2","arguments":null}`, `{"name":"t2","arguments":{"n":1,"b":2}}`, `{"name":"t3"}`,
		`{"name":"t3","arguments":{"n":"x"}}`, `{"name":"t3","arguments":{}}`, `{"name":"t4"}`,
		`{"name":"t3","arguments":null}`, `{"name":"t4","arguments":{}}`, `{"name":"gone","arguments":null}`, `{"name":""}`,
	}, []string{"", "{}", `{"Name":"t1"}`, `{"name":5}`, `{"name":"t1","arguments":[]}`, `{"name":"t1","_meta":{"progressToken":"\ud800"}}`}},
	"resources/list":           {[]string{"", `{}`}, []string{`{"cursor":{}}`}},
	"resources/templates/list": {[]string{"", `{}`}, []string{`{"cursor":true}`}},
	"resources/read":           {[]string{`{"uri":"file:///a"}`, `{"uri":"file:///a b"}`, `{"uri":""}`}, []string{"{}", `{"uri":null}`}},
	"resources/subscribe":      {[]string{`{"uri":"file:///a"}`, `{"uri":"file:///dir/"}`, `{"uri":"file:///dir/b"}`, `{"uri":"/no/scheme"}`}, []string{"", `{"uri":1}`}},
	"resources/unsubscribe":    {[]string{`{"uri":"file:///a"}`, `{"uri":"file:///dir/"}`, `{"uri":"1:x"}`}, []string{"{}"}},
	"prompts/list":             {[]string{"", `{}`}, []string{`{"cursor":[]}`}},
	"prompts/get":              {[]string{`{"name":"easy"}`, `{"name":"needy","arguments":{"a":"1"}}`, `{"name":"needy"}`, `{"name":"gone"}`, `{"name":""}`}, []string{"{}", `{"name":"easy","arguments":{"a":1}}`}},
	"completion/complete": {[]string{
		`{"ref":{"type":"ref/prompt","name":"easy"},"argument":{"name":"a","value":"v"}}`, `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"v"}}`,
		`{"ref":{"type":"ref/resource","uri":"file:///{x}"},"argument":{"name":"x","value":"v"}}`, `{"ref":{"type":"ref/resource","uri":"file:///a"},"argument":{"name":"x","value":"v"}}`,
		`{"ref":{"type":"ref/resource","uri":"file:///none"},"argument":{"name":"x","value":"v"}}`,
	}, []string{"{}", `{"ref":1,"argument":{"name":"a","value":"v"}}`}},
	"logging/setLevel": {[]string{`{"level":"error"}`, `{"level":"debug"}`, `{"level":"warning"}`}, []string{`{"level":"loud"}`, "{}"}},
	"roots/list":       {[]string{"", "{}"}, []string{"[]", `{"_meta":[]}`}},
	"sampling/createMessage": {append([]string{
		`{"messages":[],"maxTokens":5}`, `{"messages":[{"role":"user","content":{"type":"text","text":"x"}}],"maxTokens":1e2}`,
		`{"messages":[],"maxTokens":5,"tools":[]}`, `{"messages":[],"maxTokens":5,"toolChoice":{}}`, `{"messages":[],"maxTokens":5,"tools":[{"name":"t","inputSchema":{"type":"object"}}],"toolChoice":{"mode":"required"}}`,
		`{"messages":[],"maxTokens":5,"tools":[],"toolChoice":{"mode":"none"}}`, `{"messages":[],"maxTokens":5,"includeContext":"thisServer"}`, `{"messages":[],"maxTokens":5,"includeContext":"none"}`,
		`{"messages":[{"role":"user","content":{"type":"text","text":"x"},"_meta":{"x":1}}],"maxTokens":1}`,
	}, talks(
		"user [text]", "user [text text]", "user []", "user text", "assistant use1 user result1", "assistant [text use1 use2] user [result2 result1] assistant text",
		"assistant use1", "user result1", "assistant use1 user [result1 text]", "assistant [use1 use1] user [result1 result1]", "user use1 user result1", "assistant use1 user result2",
		"assistant use1 user []", "assistant use1 assistant result1", "assistant [use1 use2] user result1",
	)...), append([]string{
		"{}", `{"messages":[],"maxTokens":1.5}`, `{"messages":null,"maxTokens":1}`, `{"messages":[],"maxTokens":1,"tools":{}}`, `{"messages":[],"maxTokens":1,"tools":[{"name":"t"}]}`,
		`{"messages":[],"maxTokens":1,"toolChoice":{"mode":"any"}}`,
	}, talks("user hologram", "user [text hologram]", "user link", "assistant half")...)},
	"elicitation/create": {[]string{
		`{"message":"m","requestedSchema":{"type":"object","properties":{}}}`,
		`{"message":"m","requestedSchema":{"type":"object","properties":{"c":{"type":"string","enum":["x","y"]}},"required":["c"]}}`,
		`{"message":"m","requestedSchema":{"type":"object","properties":{"c":{"type":"string","enum":["x","y"],"enumNames":["X"]}}}}`,
		`{"mode":"url","message":"m","url":"https://a.example/1","elicitationId":"e1"}`, `{"mode":"url","message":"m","url":"http://a.example/2","elicitationId":"e2"}`,
		`{"mode":"url","message":"m","url":"https://a.example/3","elicitationId":"e3"}`, `{"mode":"url","message":"m","url":"no uri","elicitationId":"e1"}`,
		`{"mode":"url","message":"m","url":"https://a.example/","elicitationId":""}`, `{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}`,
		`{"message":"m","requestedSchema":{"$schema":"u:1","type":"object","properties":{"c":{"type":"string","oneOf":[{"const":"x","title":"X"},{"const":"y","title":"Y"}],"default":"y"}}}}`,
		`{"message":"m","requestedSchema":{"type":"object","properties":{"c":{"type":"string","oneOf":[{"const":"x","title":"X"}]}},"required":["c"]}}`,
		`{"message":"m","requestedSchema":{"type":"object","properties":{"m":{"type":"array","items":{"type":"string","enum":["x","y"]},"minItems":1,"maxItems":2}},"required":["m"]}}`,
		`{"message":"m","requestedSchema":{"type":"object","properties":{"m":{"type":"array","items":{"anyOf":[{"const":"x","title":"X"}]},"default":["x"]}}}}`,
		`{"message":"m","requestedSchema":{"type":"object","properties":{"c":{"type":"string","enum":["x"],"default":"z"},"b":{"type":"boolean","default":true}}}}`,
		`{"message":"m","requestedSchema":{"type":"object","properties":{"m":{"type":"array","items":{"type":"string","enum":["x"]},"default":["x","x"]}}}}`,
		`{"message":"m","requestedSchema":{"type":"object","properties":{"n":{"type":"number","default":0.5},"c":{"type":"string","minLength":1,"default":""}}}}`,
	}, []string{
		"{}", `{"message":"m"}`, `{"mode":"fax","message":"m"}`, `{"mode":"url","message":"m","url":"https://a.example/"}`,
		`{"mode":"url","url":"https://a.example/","elicitationId":"e1"}`, `{"mode":"form","message":"m","url":"https://a.example/","elicitationId":"e1"}`,
		`{"message":"m","requestedSchema":{"type":"object","properties":{"c":{"type":"string","default":5}}}}`,
		`{"message":"m","requestedSchema":{"type":"object","properties":{"m":{"type":"array","items":{"type":"number"}}}}}`,
		`{"message":"m","requestedSchema":{"type":"object","properties":{"c":{"type":"string","oneOf":[{"const":"x"}]}}}}`,
	}},
	"custom/one": {[]string{"", "{}", `{"deep":{"er":[null]}}`}, []string{"[]"}},
	"who/knows":  {[]string{"", "{}"}, []string{"[]"}},
	"":           {[]string{""}, []string{"[]"}},

	"notifications/initialized":            {[]string{"", "{}"}, []string{"[]", `{"_meta":1}`}},
	"notifications/roots/list_changed":     {[]string{"", "{}"}, []string{"[]"}},
	"notifications/message":                {[]string{`{"level":"info","data":{"a":1}}`, `{"level":"error","data":"x","logger":"l"}`}, []string{`{"level":"info"}`, `{"level":"loud","data":1}`}},
	"notifications/resources/updated":      {[]string{`{"uri":"file:///a"}`, `{"uri":"file:///dir/b"}`, `{"uri":"other:x"}`}, []string{"{}"}},
	"notifications/resources/list_changed": {[]string{"", "{}"}, []string{"[]"}},
	"notifications/tools/list_changed":     {[]string{"", "{}"}, []string{"[]"}},
	"notifications/prompts/list_changed":   {[]string{"", `{"_meta":{}}`}, []string{"[]"}},
	"notifications/elicitation/complete":   {[]string{`{"elicitationId":"e1"}`, `{"elicitationId":"e2"}`, `{"elicitationId":"e3","x":1}`, `{"elicitationId":"e4"}`}, []string{"", "{}", `{"elicitationId":5}`}},
	"notifications/custom":                 {[]string{"", "{}"}, []string{"[]"}},
	"notifications/cancelled":              {nil, []string{"", "{}", `{"requestId":null}`, `{"requestId":1.5}`, `{"requestId":true}`, `{"requestId":1,"reason":5}`}},
	"notifications/progress":               {nil, []string{"", `{"progress":1}`, `{"progressToken":1}`, `{"progressToken":1,"progress":"1"}`, `{"progressToken":null,"progress":1}`}},
}

var resultTexts = map[string]texts{
	"ping":       {[]string{"{}", `{"x":1}`}, []string{`{"_meta":1}`}},
	"tools/list": {[]string{`{"tools":[]}`, `{"tools":[{"name":"t","inputSchema":{"type":"object"}}],"nextCursor":""}`, `{"tools":[],"nextCursor":null,"x":null}`, `{"tools":[{"title":null,"name":"t","inputSchema":{"type":"object"},"outputSchema":null,"x":null}]}`}, []string{"{}", `{"tools":null}`}},
	"tools/call": {[]string{
		`{"content":[]}`, `{"content":[{"type":"text","text":"x"}],"isError":true}`, `{"content":[],"structuredContent":{"a":1}}`,
		`{"content":[],"isError":null,"structuredContent":null,"_meta":null}`, `{"content":[{"type":"text","text":"x","annotations":null,"y":null}]}`,
		`{"content":[],"structuredContent":{"a":1.0,"b":null}}`, `{"structuredContent":{"a":"1"},"content":[{"type":"text","text":"x"}]}`,
		`{"content":[{"type":"text","text":"x"},{"type":"resource","resource":{"uri":"file:///a","text":"x"}}]}`,
	}, []string{"{}", `{"content":[],"isError":1}`}},
	"resources/list":           {[]string{`{"resources":[]}`}, []string{`{"resources":{}}`}},
	"resources/templates/list": {[]string{`{"resourceTemplates":[]}`}, []string{"{}"}},
	"resources/read":           {[]string{`{"contents":[]}`}, []string{"{}"}},
	"resources/subscribe":      {[]string{"{}"}, []string{`{"_meta":[]}`}},
	"resources/unsubscribe":    {[]string{"{}"}, []string{`{"_meta":[]}`}},
	"prompts/list":             {[]string{`{"prompts":[]}`}, []string{"{}"}},
	"prompts/get":              {[]string{`{"messages":[]}`}, []string{"{}", `{"messages":[],"description":1}`}},
	"completion/complete": {[]string{
		`{"completion":{"values":[]}}`, `{"completion":{"values":["a","b"],"total":2,"hasMore":false}}`,
		`{"completion":{"values":[` + strings.Repeat(`"v",`, 99) + `"v"]}}`, `{"completion":{"values":[` + strings.Repeat(`"v",`, 100) + `"v"]}}`,
		`{"completion":{"values":[` + strings.Repeat(`"v",`, 100) + `"v"],"total":500,"hasMore":false}}`,
	}, []string{"{}", `{"completion":{"values":5}}`, `{"completion":{"values":[5]}}`}},
	"logging/setLevel": {[]string{"{}"}, []string{`{"_meta":[]}`}},
	"roots/list":       {[]string{`{"roots":[]}`, `{"roots":[{"uri":"file:///r"}]}`}, []string{"{}"}},
	"sampling/createMessage": {[]string{
		`{"role":"assistant","content":{"type":"text","text":"x"},"model":"m"}`, `{"role":"assistant","content":[{"type":"text","text":"x"}],"model":"m"}`,
		`{"role":"assistant","content":[],"model":"m"}`, `{"role":"assistant","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}],"model":"m"}`,
		`{"role":"assistant","content":{"type":"tool_use","id":"1","name":"t","input":{}},"model":"m","stopReason":"toolUse"}`,
		`{"role":"assistant","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"1","name":"t","input":{}}],"model":"m"}`,
	}, []string{
		`{"role":"assistant","model":"m"}`, `{"role":"assistant","content":{"type":"hologram"},"model":"m"}`, `{"role":"assistant","content":5,"model":"m"}`,
		`{"role":"assistant","content":[{"type":"tool_use","name":"t","input":{}}],"model":"m"}`,
	}},
	"elicitation/create": {[]string{
		`{"action":"decline"}`, `{"action":"accept","content":{"a":1}}`, `{"action":"accept","content":{"c":"x"}}`, `{"action":"accept"}`,
		`{"action":"accept","content":{"m":["x","y"]}}`, `{"action":"accept","content":{"m":["x"],"c":"y"}}`, `{"action":"accept","content":{"m":["x","x"]}}`,
		`{"action":"accept","content":{"c":"z"}}`, `{"_meta":{"x":1},"content":{"c":"what was filled in before the user changed his mind"},"action":"decline"}`,
	}, []string{`{"action":"maybe"}`, `{"action":"accept","content":{"m":[1]}}`, `{"action":"accept","content":{"m":[["x"]]}}`, `{"action":"accept","content":{"m":{}}}`}},
	"custom/one": {[]string{"{}", `{"a":[]}`, `{"_meta":null,"a":null}`}, []string{`{"_meta":1}`}},
	"who/knows":  {[]string{"{}"}, nil},
}

// peerTexts are results of a server in which a client finds a fault that mostly does
// not end the request.
var peerTexts = map[string][]string{
	"tools/call": {
		"{}", `{"isError":true}`, `{"content":null,"structuredContent":{"a":1}}`, `{"isError":1}`, `{"content":[{"type":"hologram","x":1}]}`,
		`{"content":[{"type":"text"},{"type":"text","text":"x"},5,{"type":"image","data":""}]}`, `{"content":[{"text":"x"},{"type":"hologram"}],"isError":true}`,
		`{"content":[{"type":"text"}],"isError":1}`, `{"content":[{"type":"text"}],"structuredContent":{"a":2}}`, `{"content":5}`,
		`{"content":[],"structuredContent":{}}`, `{"content":[{"type":"hologram"}],"structuredContent":{"a":true}}`,
		`{"structuredContent":{"a":7},"content":[]}`, `{"content":null,"structuredContent":{"a":1,"why":"long enough to be worth a Span of its own"}}`,
	},
	"tools/list": {`{"tools":[{"name":5},{"name":"t","inputSchema":{"type":"object"}},7],"nextCursor":"c"}`, `{"tools":[{"name":5}],"nextCursor":5}`,
		`{"tools":[{"name":"a b","inputSchema":{"type":"object"}},{"name":"a/b","inputSchema":{"type":"object"},"icons":[{"src":"data:,"},{"src":5}]}]}`,
		`{"tools":[{"name":"t","inputSchema":{"type":"object"},"icons":[{"src":"app:x","theme":"dark","sizes":["any"]}]},{"name":"","inputSchema":{"type":"object"},"icons":{}},7]}`,
	},
	"resources/list":           {`{"resources":[{"name":"r"},{"name":"r","uri":"file:///r"}]}`},
	"resources/templates/list": {`{"resourceTemplates":[{"name":"r","uriTemplate":"a:{b}"},null]}`},
	"prompts/list":             {`{"prompts":[{"title":"p"},{"name":"p"}]}`, `{"prompts":[{"name":"a b","icons":[{"src":"data:,","theme":"blue"}]},{"name":"p","icons":null}]}`},
	"prompts/get": {
		`{"messages":[{"role":"user","content":{"type":"hologram"}},{"role":"user","content":{"type":"text","text":"x"}}]}`,
		`{"messages":[{"role":"user","content":{"type":"text"}}]}`,
	},
}

// talks returns the params of sampling/createMessage with the conversations, each a row of
// roles and contents.
func talks(conversations ...string) (list []string) {
	words := strings.NewReplacer(
		"text", `{"type":"text","text":"x"}`, "use1", `{"type":"tool_use","id":"1","name":"t","input":{"a":1}}`, "use2", `{"type":"tool_use","id":"2","name":"t","input":{},"_meta":{"k":1}}`,
		"result1", `{"type":"tool_result","toolUseId":"1","content":[{"type":"text","text":"x"}]}`, "result2", `{"type":"tool_result","toolUseId":"2","content":[],"isError":true,"structuredContent":{}}`,
		"hologram", `{"type":"hologram"}`, "link", `{"type":"resource_link","uri":"a:b","name":"n"}`, "half", `{"type":"tool_use","id":"1","name":"t"}`,
		" user ", `},{"role":"user","content":`, "user ", `{"role":"user","content":`, " assistant ", `},{"role":"assistant","content":`, "assistant ", `{"role":"assistant","content":`, " ", ",",
	)
	for i, c := range conversations {
		text := `{"messages":[` + words.Replace(c) + `}],"maxTokens":1`
		if i%2 == 0 {
			text += `,"tools":[{"name":"t","inputSchema":{"type":"object"}}]`
		}
		list = append(list, text+"}")
	}
	return list
}

// pageTexts are the data of errors that ask for elicitations first: valid and invalid.
var pageTexts = texts{
	[]string{
		`{"elicitations":[{"mode":"url","message":"m","url":"https://a.example/1","elicitationId":"e1"}]}`, `{"elicitations":[],"x":1}`,
		`{"elicitations":[{"mode":"url","message":"m","url":"http://a.example/2","elicitationId":"e2"},{"mode":"url","message":"m","url":"https://a.example/3","elicitationId":"e3"}]}`,
	},
	[]string{
		`{}`, `{"elicitations":{}}`, `{"elicitations":[{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}]}`,
		`{"elicitations":[{"mode":"url","message":"m","url":"https://a.example/1"}]}`, `{"elicitations":[5]}`,
	},
}

var (
	toServer = []string{
		"ping", "tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read", "resources/subscribe",
		"resources/unsubscribe", "prompts/list", "prompts/get", "completion/complete", "logging/setLevel",
	}
	toClient      = []string{"ping", "roots/list", "sampling/createMessage", "elicitation/create"}
	strangers     = []string{"custom/one", "who/knows", ""}
	notesToServer = []string{"notifications/initialized", "notifications/roots/list_changed"}
	notesToClient = []string{
		"notifications/message", "notifications/resources/updated", "notifications/resources/list_changed",
		"notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/elicitation/complete",
	}

	// Ids of the peer. Equal ones occur in several spellings.
	usableIDs   = []string{"1", "2", "3", `"1"`, `"a"`, "1.0", "20e-1", `"\u0061"`, "0", `""`, "-4", "9007199254740993", "1e30", "-1e30"}
	unusableIDs = []string{"null", "1.5", "true", "{}", "[1]", `"\ud800"`}

	tokenTexts = []string{`"own"`, "7", `"7"`, "0", `""`, "1e1", "1", "2", "null"}

	// Text that is invalid in every phase, and objects with an invalid envelope.
	hostileTexts = []string{
		"", "{", "42", `"x"`, "null", "[]", "{}", `{"jsonrpc":"2.0"}`, "{} {}", "{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}", `{"a":1,}`,
		`{"jsonrpc":"2.0","method":5}`, `{"jsonrpc":"2.0","method":"\ud800"}`, `{"jsonrpc":"2.0","id":null,"result":{}}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}`, `{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}`,
		`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, `{"jsonrpc":"2.0","jsonrpc":"2.0","method":"ping"}`, `{"method":"notifications/initialized"}`,
	}
)
