package rows_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// degraded compares the one sent body, and whether a Downgraded event names it.
func degraded(t testing.TB, out lifecycle.Output, r protocol.Revision, method, want string, lossy bool) {
	t.Helper()
	if len(out.Send) != 1 || string(out.Send[0].Message.Body) != want {
		t.Errorf("%v: sent %q, want %s", r, verbs.Lines(out), want)
		return
	}
	list := verbs.Events(out, lifecycle.Downgraded)
	if len(list) == 1 != lossy || len(list) > 1 {
		t.Errorf("%v: events %s, lossy %v", r, verbs.Kinds(out), lossy)
		return
	}
	if lossy && (list[0].Method != method || list[0].Revision != r || list[0].Call != out.Send[0].Call || list[0].Req != out.Req) {
		t.Errorf("%v: event %+v", r, list[0])
	}
}

// Every body that a side sends conforms to the negotiated revision: LIFE-019, and the
// downgrade table.
func TestDegraded(t *testing.T) {
	tool := protocol.Tool{Name: "t", Title: "T", InputSchema: `{"type":"object"}`, Annotations: &protocol.ToolAnnotations{ReadOnlyHint: protocol.Ptr(true)}}
	link := protocol.LinkContent(protocol.Resource{URI: "file:///r", Name: "r"})
	sound := protocol.Content{Type: protocol.ContentAudio, Media: &protocol.Media{Data: "AA==", MIMEType: "audio/ogg"}}
	who := protocol.Implementation{Name: "n", Title: "N", Version: "1"}
	// pick chooses the text for the revision.
	pick := func(r protocol.Revision, texts ...string) (text string, lossy bool) {
		i := map[protocol.Revision]int{r06: 0, r03: 1, r24: 2}[r]
		return texts[i], texts[i] != texts[0]
	}
	newServer := func(r protocol.Revision) verbs.Side {
		return verbs.NewServer(t, server.Config{
			Info: who, Catalog: catalog(t, server.Items{Tools: []protocol.Tool{tool}}),
			Serve: []string{"tools/call", "completion/complete", "prompts/get"}, Unlisted: true, Revisions: []protocol.Revision{r24, r, r06},
		})
	}
	newClient := func(r protocol.Revision) verbs.Side {
		return verbs.NewClient(t, client.Config{
			Info: who, Roots: []protocol.Root{{URI: "file:///a", Meta: `{"k":1}`}}, Serve: []string{"sampling/createMessage"}, Revisions: []protocol.Revision{r},
		})
	}
	for _, r := range protocol.Revisions() {
		s, out := newServer(r).Begin(r, `{"sampling":{}}`)
		body, lossy := pick(r, `"capabilities":{"completions":{},"prompts":{},"tools":{}},"serverInfo":{"name":"n","title":"N","version":"1"}}`,
			`"capabilities":{"completions":{},"prompts":{},"tools":{}},"serverInfo":{"name":"n","version":"1"}}`,
			`"capabilities":{"prompts":{},"tools":{}},"serverInfo":{"name":"n","version":"1"}}`)
		degraded(t, out, r, "initialize", fmt.Sprintf(`{"protocolVersion":%q,%s`, r, body), lossy)
		s, _ = s.Receive(verbs.Initialized)

		_, out = s.Receive(ask("a", protocol.RawRequest{Name: "tools/list"}))
		body, lossy = pick(r, `{"tools":[{"name":"t","title":"T","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}`,
			`{"tools":[{"name":"t","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}`,
			`{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`)
		degraded(t, out, r, "tools/list", body, lossy)

		s, out = s.Receive(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","_meta":{"progressToken":7}}}`)
		call := out.Opened
		s, out, err := s.Progress(call, protocol.ProgressParams{Progress: 1, Message: "half"})
		if err != nil {
			t.Fatal(err)
		}
		body, lossy = pick(r, `{"progressToken":7,"progress":1,"message":"half"}`, `{"progressToken":7,"progress":1,"message":"half"}`, `{"progressToken":7,"progress":1}`)
		degraded(t, out, r, "notifications/progress", body, lossy)

		result := &protocol.CallToolResult{Content: []protocol.Content{link, sound}, StructuredContent: `{"n":1.0}`}
		audio, text := `{"type":"audio","data":"AA==","mimeType":"audio/ogg"}`, `{"type":"text","text":"r (file:///r)"}`
		body, lossy = pick(r, `{"content":[{"type":"resource_link","uri":"file:///r","name":"r"},`+audio+`],"structuredContent":{"n":1.0}}`,
			`{"content":[`+text+`,`+audio+`]}`, `{"content":[`+text+`,{"type":"text","text":"[audio: audio/ogg]"}]}`)
		for _, res := range []protocol.Result{result, protocol.Raw(result.AppendJSON(nil))} { // typed and raw ones are treated alike
			_, out, err = s.Respond(call, res)
			if err != nil {
				t.Fatal(err)
			}
			degraded(t, out, r, "tools/call", body, lossy)
		}
		_, out, err = s.Do(verbs.Verb{Op: verbs.OpFinish, Call: call, Result: result})
		if err != nil {
			t.Fatal(err)
		}
		degraded(t, out, r, "tools/call", body, lossy)

		_, out, err = s.Request(protocol.CreateMessageParams{MaxTokens: 1, Messages: []protocol.SamplingMessage{{Role: "user", Content: []protocol.Content{sound}}}}, lifecycle.RequestOptions{Within: call})
		if err != nil {
			t.Fatal(err)
		}
		body, lossy = pick(r, `{"messages":[{"role":"user","content":`+audio+`}],"maxTokens":1}`, `{"messages":[{"role":"user","content":`+audio+`}],"maxTokens":1}`,
			`{"messages":[{"role":"user","content":{"type":"text","text":"[audio: audio/ogg]"}}],"maxTokens":1}`)
		degraded(t, out, r, "sampling/createMessage", body, lossy)

		c, out := newClient(r).Begin(r, "")
		body, lossy = pick(r, `,"title":"N"`, ``, ``)
		degraded(t, out, r, "initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"roots":{},"sampling":{}},"clientInfo":{"name":"n"%s,"version":"1"}}`, r, body), lossy)
		c, _ = c.Finish(r, `{"completions":{}}`)
		_, out = c.Receive(ask("a", protocol.RawRequest{Name: "roots/list"}))
		body, lossy = pick(r, `{"roots":[{"uri":"file:///a","_meta":{"k":1}}]}`, `{"roots":[{"uri":"file:///a"}]}`, `{"roots":[{"uri":"file:///a"}]}`)
		degraded(t, out, r, "roots/list", body, lossy)

		_, out, err = c.Request(protocol.RawRequest{Name: "completion/complete", Body: `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""},"context":{"arguments":{}}}`},
			lifecycle.RequestOptions{Progress: true})
		if err != nil {
			t.Fatal(err)
		}
		body, lossy = pick(r, `"value":""},"context":{"arguments":{}},`, `"value":""},`, `"value":""},`)
		degraded(t, out, r, "completion/complete", `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a",`+body+`"_meta":{"progressToken":2}}`, lossy)

		c, call = hold(c)
		_, out, err = c.Respond(call, protocol.CreateMessageResult{Role: "assistant", Model: "m", Content: []protocol.Content{sound}})
		if err != nil {
			t.Fatal(err)
		}
		body, lossy = pick(r, audio, audio, `{"type":"text","text":"[audio: audio/ogg]"}`)
		degraded(t, out, r, "sampling/createMessage", `{"role":"assistant","content":`+body+`,"model":"m"}`, lossy)
	}
}

// An empty list is still a list, and no cursor of it is valid.
func TestEmptyLists(t *testing.T) {
	serve := []string{"tools/call", "resources/read", "prompts/get"}
	for name, cfg := range map[string]server.Config{
		"no catalog":    {Serve: serve},
		"zero catalog":  {Serve: serve, Catalog: &server.Catalog{}},
		"empty catalog": {Serve: serve, Catalog: catalog(t, server.Items{})},
	} {
		cfg.Unlisted = true // tools and so on are served, but not listed
		s := verbs.NewServer(t, cfg).Open(spoken, "{}")
		for method, member := range map[string]string{
			"tools/list": "tools", "resources/list": "resources", "resources/templates/list": "resourceTemplates", "prompts/list": "prompts",
		} {
			_, out := s.Receive(ask("a", protocol.RawRequest{Name: method}))
			sent(t, out, `{"id":"a","result":{"`+member+`":[]}}`)
			for _, cursor := range []string{"", "x", strings.Repeat("8", 16), strings.Repeat("0", 40)} {
				_, out = s.Receive(ask("a", protocol.RawRequest{Name: method, Body: jsonrpc.Raw(fmt.Sprintf(`{"cursor":%q}`, cursor))}))
				if e := refused(t, out, -32602); e.Code == 0 {
					t.Errorf("%s, %s: cursor %q", name, method, cursor)
				}
			}
		}
	}
}
