package protocol_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	. "github.com/sansmcp/mcp/protocol"
)

// A result that asks has questions of three kinds, state, or both, and says what the client has to
// have declared for them. Pages have no id, and questions no _meta.
//
// rows: MRTR-002 MRTR-003 MRTR-004 MRTR-006 SAMP-201 ELIC-203
// revisions: 2026-07-28
func TestEncodeInput(t *testing.T) {
	form := ElicitParams{Message: "m", RequestedSchema: ElicitSchema{Properties: []Property{{"a", PrimitiveSchema{Type: TypeString}}}}, Meta: `{"a":1}`}
	page := ElicitParams{Mode: ElicitURL, Message: "m", URL: "https://a.example/", ElicitationID: "e"}
	poem := CreateMessageParams{MaxTokens: 1, Messages: []SamplingMessage{{Role: "user", Content: []Content{TextContent("t")}}}, Meta: `{"a":1}`}
	tools := poem
	tools.Tools = []Tool{{Name: "t", InputSchema: `{"type":"object"}`}}
	for name, c := range map[string]struct {
		p     Params
		want  string // "" for what cannot be asked
		needs Capability
	}{
		"form":          {form, `{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}}}`, CapElicitation | CapElicitationForm},
		"page":          {page, `{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://a.example/"}}`, CapElicitation | CapElicitationURL},
		"page, no id":   {ElicitParams{Mode: ElicitURL, Message: "m", URL: "https://a.example/"}, `{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://a.example/"}}`, CapElicitation | CapElicitationURL},
		"sampling":      {poem, `{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"t"}}],"maxTokens":1}}`, CapSampling},
		"tools":         {tools, `{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"t"}}],"maxTokens":1,"tools":[{"name":"t","inputSchema":{"type":"object"}}]}}`, CapSampling | CapSamplingTools},
		"roots, _meta":  {ListRootsParams{Meta: `{"a":1}`}, `{"method":"roots/list","params":{"_meta":{"a":1}}}`, CapRoots},
		"roots":         {ListRootsParams{}, `{"method":"roots/list","params":{}}`, CapRoots},
		"raw":           {RawRequest{Name: "roots/list"}, `{"method":"roots/list","params":{}}`, CapRoots},
		"ping":          {PingParams{}, "", 0},
		"unknown":       {RawRequest{Name: "x/y"}, "", 0},
		"of the client": {ListToolsParams{}, "", 0},
		"notification":  {ProgressParams{}, "", 0},
		"nothing":       {nil, "", 0},
		"wrong":         {RawRequest{Name: "elicitation/create", Body: `{"message":1}`}, "", 0},
	} {
		for _, method := range []string{MethodToolsCall, MethodPromptsGet, MethodResourcesRead} {
			got, needs, err := Revision20260728.Row(method).EncodeInput(&InputRequired{Questions: []Question{{"k", c.p}}, State: "s"}, 0, Encoding{})
			raw := got.Body
			want := `{"resultType":"input_required","inputRequests":{"k":` + c.want + `},"requestState":"s"}`
			if c.want == "" {
				want = ""
			}
			if string(raw) != want || needs.Wholes()|needs != c.needs.Wholes()|c.needs || (err == nil) != (c.want != "") {
				t.Errorf("%s for %s: %v %v\n%s\nwant %v %s", name, method, err, needs, raw, c.needs, want)
			}
		}
		for _, r := range AllRevisions() {
			for _, row := range r.Rows() {
				asks := r.Stateless() && (row.Method == MethodToolsCall || row.Method == MethodPromptsGet || row.Method == MethodResourcesRead)
				if row.Notification || asks {
					continue
				}
				if _, _, err := row.EncodeInput(&InputRequired{State: "s"}, 0, Encoding{}); err == nil {
					t.Errorf("%s of %v asks", row.Method, r)
				}
			}
		}
	}
	row := Revision20260728.Row(MethodToolsCall)
	for _, none := range []*InputRequired{nil, {}, {Questions: []Question{}}, {Questions: []Question{{}}}, {Questions: []Question{{"k", (*ElicitParams)(nil)}}}} {
		if got, _, err := row.EncodeInput(none, 0, Encoding{}); err == nil {
			t.Errorf("%s asks nothing", got.Body)
		}
	}
	if _, _, err := row.EncodeInput(&InputRequired{Questions: []Question{{"k", ListRootsParams{}}, {"k", form}}}, 0, Encoding{}); err == nil {
		t.Error("one key asks twice")
	}
}

// A result that asks is read by what it has of it: members of another kind are nothing to it.
//
// rows: MRTR-003 MRTR-004 MRTR-005 RSLT-009
// revisions: 2026-07-28
func TestReadInput(t *testing.T) {
	row := Revision20260728.Row(MethodToolsCall)
	for body, want := range map[string]string{
		`{"requestState":"s"}`:                            "s",
		`{"inputRequests":{"a":{"method":"roots/list"}}}`: "a roots/list ",
		`{"inputRequests":{"a":{"method":"roots/list","params":null}},"requestState":null,"content":null}`:                 "a roots/list ",
		`{"inputRequests":{"a":{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://a/"}}}}`: `a elicitation/create {"mode":"url","message":"m","url":"https://a/"}`,
		`{"inputRequests":{"b":{"method":"roots/list"},"a":{"method":"roots/list"}},"requestState":""}`:                    "b roots/list a roots/list ",
		`{}`: "!", `{"inputRequests":{}}`: "!", `{"inputRequests":{},"requestState":""}`: "!", `{"requestState":5}`: "!", `{"inputRequests":[]}`: "!",
		`{"inputRequests":{"a":5}}`: "!", `{"inputRequests":{"a":{}}}`: "!", `{"inputRequests":{"a":{"method":"ping"}}}`: "!", `{"inputRequests":{"a":{"method":"tools/list"}}}`: "!",
		`{"inputRequests":{"a":{"method":"notifications/message","params":{"level":"info","data":1}}}}`: "!",
		`{"inputRequests":{"a":{"method":"elicitation/create"}}}`:                                       "!",
		`{"inputRequests":{"a":{"method":"roots/list"},"a":{"method":"roots/list"}}}`:                   "!",
		`{"inputRequests":{"a":{"method":"roots/list"},"\u0061":{"method":"roots/list"}}}`:              "!",
		`{"inputRequests":{"a":{"method":"sampling/createMessage","params":{"messages":[]}}}}`:          "!",
	} {
		e, _, err := row.ReadInput(Raw(body))
		got := "!"
		if err == nil {
			got = ""
			for _, q := range e.Questions {
				p := q.Params.(RawRequest)
				got += " " + q.Key + " " + p.Name + " " + string(p.Body)
			}
			got = strings.ReplaceAll(strings.TrimPrefix(got, " ")+e.State, "  ", " ")
		}
		if got != want {
			t.Errorf("%s is read as %q (%v), want %q", body, got, err, want)
		}
	}
	if _, _, err := Revision20251125.Row(MethodToolsCall).ReadInput(`{"requestState":"s"}`); err == nil {
		t.Error("a session has results that ask")
	}
}

// What a request brings is a map of objects and a text; a request is made again with these and as it
// was.
//
// rows: MRTR-010 MRTR-011 MRTR-023 MRTR-024 MRTR-027 MRTR-043
// revisions: 2026-07-28
func TestResponses(t *testing.T) {
	for params, want := range map[string]string{
		`{}`: "none", ``: "none", `{"inputResponses":null,"requestState":null}`: "none",
		`{"inputResponses":{}}`: "", `{"requestState":"a\u0062"}`: "ab", `{"inputResponses":{"k":{"a":1e2},"":{}},"requestState":"s"}`: `={} k={"a":1e2} s`,
		`{"inputResponses":[]}`: "!", `{"inputResponses":{"a":5}}`: "!", `{"inputResponses":{"a":null}}`: "!", `{"inputResponses":5}`: "!", `{"requestState":5}`: "!",
	} {
		in, err := ReadResponses(Raw(params), jsonrpc.Span{})
		got := "!"
		switch {
		case err == nil && in == nil:
			got = "none"
		case err == nil:
			got = ""
			for _, k := range []string{"", "k"} {
				if v, ok := in.Results[k]; ok {
					got += k + "=" + string(v) + " "
				}
			}
			got += in.State
		}
		if got != want {
			t.Errorf("%s brings %q (%v), want %q", params, got, err, want)
		}
	}
	was := Raw(`{ "name":"t","arguments":{"n":12345678901234567890,"s":"\u0061"},"_meta":{"k":1},"requestState":"old","inputResponses":{"old":{}}}`)
	for _, state := range []string{"", "s", "a\"\\\n\u2028é", strings.Repeat("x", 64<<10)} {
		got := WithResponses(was, []string{"b", "a"}, []Raw{`{}`, `{"x":1}`}, state)
		in, err := ReadResponses(got, jsonrpc.Span{})
		if err != nil || in.State != state || in.Results["a"] != `{"x":1}` || len(in.Results) != 2 || strings.Contains(string(got), "requestState") != (state != "") {
			t.Errorf("%.300s: %v", got, err)
		}
		if !strings.Contains(string(got), `"arguments":{"n":12345678901234567890,"s":"\u0061"},"_meta":{"k":1}`) {
			t.Errorf("%.300s is another request", got)
		}
		if p, err := Decode[CallToolParams](got); err != nil || p.Name != "t" {
			t.Errorf("%v: %.200s", err, got)
		}
	}
	if got := WithResponses(`{"name":"t","inputResponses":{"old":{}},"requestState":"old"}`, nil, nil, ""); got != `{"name":"t"}` {
		t.Errorf("%s", got)
	}
}

// An envelope names the revision and what the client offers; each of its members can be odd.
//
// rows: REQM-003 REQM-004 LOG-201 LOG-205 META-205
// revisions: 2026-07-28
func TestEnvelope(t *testing.T) {
	const v, c = `"io.modelcontextprotocol/protocolVersion":`, `"io.modelcontextprotocol/clientCapabilities":`
	const i, l = `"io.modelcontextprotocol/clientInfo":`, `"io.modelcontextprotocol/logLevel":`
	good := v + `"2026-07-28",` + c + `{}`
	for meta, want := range map[string]string{
		``: "none", `{}`: "none", `{"progressToken":1,"a.b/c":{}}`: "none", `{` + i + `5}`: "none",
		`{` + good + `}`: "2026-07-28", `{` + v + `"","x":1,` + c + `{}}`: "", `{` + v + `"x",` + c + `{}}`: "x",
		`{` + strings.ReplaceAll(good, "model", `\u006dodel`) + `}`: "2026-07-28",
		`{` + good + `,` + i + `{"name":"n","version":"1"}}`:        "2026-07-28", `{` + good + `,` + i + `null,` + l + `null}`: "2026-07-28",
		`{` + v + `"2026-07-28"}`: "!", `{` + c + `{}}`: "!", `{` + v + `5,` + c + `{}}`: "!", `{` + v + `null,` + c + `{}}`: "!",
		`{` + v + `"2026-07-28",` + c + `null}`: "!", `{` + v + `"2026-07-28",` + c + `[]}`: "!", `{` + v + `"2026-07-28",` + c + `true}`: "!",
		`{` + v + `"2026-07-28",` + c + `{"sampling":5}}`: "!",
		`{` + good + `,` + i + `5}`:                       "!", `{` + good + `,` + i + `{"name":5,"version":"1"}}`: "!", `{` + good + `,` + i + `{"name":"n"}}`: "!",
		`{` + good + `,` + l + `"loud"}`: "!", `{` + good + `,` + l + `5}`: "!", `{` + good + `,` + l + `""}`: "!",
	} {
		e, ok, err := Meta(meta).Envelope()
		got := e.Version
		switch {
		case err != nil:
			got = "!"
		case !ok:
			got = "none"
		}
		if got != want || err != nil && !ok {
			t.Errorf("%s is the envelope %q %v (%v), want %q", meta, got, ok, err, want)
		}
	}
	for _, level := range strings.Fields("debug info notice warning error critical alert emergency") {
		if e, _, err := Meta(`{` + good + `,` + l + `"` + level + `"}`).Envelope(); err != nil || string(e.Level) != level {
			t.Errorf("%s: %v %v", level, e, err)
		}
	}
	e, _, err := Meta(`{` + v + `"2026-07-28",` + c + `{"sampling":{"tools":{}},"elicitation":{"url":{}},"roots":{"listChanged":true},"x":5}}`).Envelope()
	if want := CapSampling | CapSamplingTools | CapElicitation | CapElicitationURL | CapRoots; err != nil || e.Capabilities&Revision20260728.Capabilities() != want {
		t.Errorf("%v, want %v; %v", e.Capabilities, want, err)
	}
	for _, key := range []string{"traceparent", "tracestate", "baggage"} {
		if !ValidMetaKey(key) {
			t.Errorf("%s is no key", key)
		}
	}
}

// Who the server is, and which subscription a notification is for, are read where they are well said.
//
// rows: META-204 META-207
// revisions: 2026-07-28
func TestMetaOfResults(t *testing.T) {
	for meta, want := range map[string]string{
		`{"io.modelcontextprotocol/serverInfo":{"name":"n","version":"1"}}`: "n", `{"io.modelcontextprotocol/serverInfo":5}`: "", `{}`: "", ``: "",
		`{"io.modelcontextprotocol/serverInfo":{"name":5}}`: "", `{"io.modelcontextprotocol/serverInfo":null}`: "",
	} {
		if got := Meta(meta).ServerInfo().Name; got != want {
			t.Errorf("%s is of %q, want %q", meta, got, want)
		}
	}
	for id, ok := range map[string]bool{`1`: true, `"1"`: true, `1.0`: true, `12345678901234567890`: true, `null`: false, `1.5`: false, `{}`: false} {
		got, has := Meta(`{"io.modelcontextprotocol/subscriptionId":` + id + `}`).Subscription()
		if want := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":` + id + `,"method":"x"}`).ID; has != ok || ok && got != want {
			t.Errorf("%s: %v %v", id, got, has)
		}
	}
}

// A result that asks is written by its own method as its row writes it, and read by its row alone.
func TestInputJSON(t *testing.T) {
	ask := &InputRequired{Questions: []Question{{"a", ElicitParams{Message: "m"}}}, State: "s"}
	raw, err := ask.MarshalJSON()
	if err != nil || !strings.Contains(string(raw), `"inputRequests":{"a":{"method":"elicitation/create"`) || !strings.Contains(string(raw), `"requestState":"s"`) {
		t.Errorf("%s %v", raw, err)
	}
	if got := string(ask.AppendJSON([]byte("x"))); got != "x"+string(raw) {
		t.Error(got)
	}
	for _, p := range []Params{nil, (*ElicitParams)(nil), RawRequest{}, RawRequest{Name: "a", Body: "{"}} {
		if raw, err := json.Marshal(&InputRequired{Questions: []Question{{"a", p}}}); err != nil || !strings.HasPrefix(string(raw), `{"resultType":"input_required","inputRequests":{"a":{"method":"`) {
			t.Errorf("%#v: %s %v", p, raw, err)
		}
	}
	if ask.UnmarshalJSON(raw) == nil {
		t.Error("read without a row")
	}
}

// Params and results of what has no session are encoded as values and by pointers.
func TestStatelessBodies(t *testing.T) {
	filter := SubscriptionFilter{ToolsListChanged: true}
	for _, c := range []struct {
		p    Params
		want string
	}{
		{&DiscoverParams{}, ``},
		{&ListenParams{Notifications: filter}, `{"notifications":{"toolsListChanged":true}}`},
		{AcknowledgedParams{Notifications: filter}, `{"notifications":{"toolsListChanged":true}}`},
		{&AcknowledgedParams{Notifications: filter}, `{"notifications":{"toolsListChanged":true}}`},
		{CancelledParams{RequestID: jsonrpc.String("a")}, `{"requestId":"a"}`},
		{ProgressParams{ProgressToken: jsonrpc.String("a"), Progress: 1}, `{"progressToken":"a","progress":1}`},
	} {
		ready, err := Revision20260728.Row(MethodName(c.p)).PrepareParams(c.p, Encoding{})
		if got := string(ready.Body()); err != nil || got != c.want {
			t.Errorf("%T: %s %v", c.p, got, err)
		}
	}
	if _, err := Revision20260728.Row(MethodToolsList).EncodeResult(DiscoverResult{}, "", Encoding{}); err == nil {
		t.Error("a DiscoverResult answers tools/list")
	}
}

// A key is asked once however many others there are between.
//
// rows: MRTR-005
// revisions: 2026-07-28
func TestManyQuestions(t *testing.T) {
	const ask = `":{"method":"roots/list"}`
	var b strings.Builder
	for i := range 10_000 {
		b.WriteString(`,"` + strconv.Itoa(i) + ask)
	}
	row := Revision20260728.Row(MethodToolsCall)
	e, _, err := row.ReadInput(Raw(`{"inputRequests":{` + b.String()[1:] + `}}`))
	if err != nil || len(e.Questions) != 10_000 || e.Questions[9_999].Key != "9999" {
		t.Error(err)
	}
	for _, key := range []string{"0", "5000", "9999"} {
		if _, _, err := row.ReadInput(Raw(`{"inputRequests":{` + b.String()[1:] + `,"` + key + ask + `}}`)); err == nil {
			t.Errorf("%s is asked twice", key)
		}
	}
}
