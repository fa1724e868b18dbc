package relay_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
)

// stamps are what stands in a result of a revision without sessions, and is said anew by whoever passes it on.
const stamps = `"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"left","version":"1"},"com.example/kept":[1,{"a":null}]},`

// What a result has that the types here do not know passes as it is, in all four cells: members, types of content, numbers
// that no float has, the order of members and their spelling.
func TestRawResultsPass(t *testing.T) {
	odd := []string{
		`"x":{"b":1,"a":[1e400,0.10,-0,12345678901234567890]}`, `"n" : null`, `"text":"\u0041\ud83d\ude00/\/"`, `"":""`,
	}
	inCells(t, []string{"left"}, func(t *testing.T, w *world) {
		w.list("tools/list")
		for method, c := range map[string]struct {
			ask    func()
			result string
		}{
			"tools/call": {func() { w.call("left-slow") }, `"content":[{"type":"hologram","rays":[1,2]},{"type":"text","text":"t","weight":1.50}],"structuredContent":{"deep":{"n":1e2}}`},
			"prompts/get": {func() { w.request(protocol.GetPromptParams{Name: "p-left"}, noTimeout) },
				`"messages":[{"role":"user","content":{"type":"text","text":"t","mood":"dim"},"at":1.0}]`},
			"resources/read": {func() { w.request(protocol.ReadResourceParams{URI: "own://left"}, noTimeout) }, `"contents":[{"uri":"own://left","text":"t","etag":"W/1"}]`},
		} {
			p := w.peers["left"]
			p.mute = true
			c.ask()
			p.mute = false
			line := w.last("relay>left", `"method":"`+method+`"`)
			id, _ := rawjson.Get(line[strings.IndexByte(line, '{'):], "id")
			stateless := p.s.Revision().IsZero()
			body := c.result + "," + strings.Join(odd, ",")
			sent := `"_meta":{"com.example/kept":[1,{"a":null}]},` + body
			if stateless {
				sent = stamps + `"ttlMs":7,"cacheScope":"public",` + body
			}
			n := len(w.lines)
			w.say("left", fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{%s}}`, id, sent))
			got := ""
			for _, line := range w.lines[n:] {
				if rest, ok := strings.CutPrefix(line, "relay>client "); ok {
					got = rest
				}
			}
			for _, part := range append(odd, c.result) {
				if !strings.Contains(got, part) {
					t.Errorf("%s: %s\nwant %s", method, got, part)
				}
			}
			if !strings.Contains(got, `"com.example/kept":[1,{"a":null}]`) {
				t.Errorf("%s: %s", method, got)
			}
			if stateless && !strings.Contains(got, `"ttlMs":7,"cacheScope":"public"`) {
				t.Errorf("%s: %s", method, got)
			}
		}
	}, resources)
}

// Pages of servers reach clients of either era by their ids, or without, and that a user is done with one only in
// sessions: without one the request is made again.
func TestPagesInAllCells(t *testing.T) {
	const url = `"mode":"url","message":"m","url":"https://example.com/1"`
	inCells(t, []string{"left"}, func(t *testing.T, w *world) {
		w.list("tools/list")
		client, server := !w.s.Revision().IsZero(), !w.peers["left"].s.Revision().IsZero() // whether there is a session
		req := w.call("left-slow")
		w.asksPage("left", url)
		ev, asked := w.questions()[protocol.MethodElicitationCreate]
		if !asked {
			t.Fatal(strings.Join(w.lines, "\n"))
		}
		id := rawjson.Text(string(ev.Body), "elicitationId")
		if strings.HasPrefix(id, "left+") != client {
			t.Errorf("%s", ev.Body)
		}
		w.answer(ev.Call, `{"action":"accept"}`)
		if server {
			n := len(w.lines)
			w.say("left", `{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"1"}}`)
			if told := strings.Contains(strings.Join(w.lines[n:], "\n"), "relay>client "); told != client {
				t.Errorf("told %v: %s", told, strings.Join(w.lines[n:], "\n"))
			}
		}
		w.on("left")(w.peers["left"].s.Respond(w.now, w.held("left"), protocol.TextResult("done")))
		if got := w.result(req); !strings.Contains(got, "done") {
			t.Error(got)
		}
		if !server {
			return
		}
		// The error that names pages.
		page := protocol.ElicitParams{Mode: protocol.ElicitURL, Message: "m", URL: "https://example.com/1", ElicitationID: "1"}
		req = w.call("left-slow")
		w.on("left")(noReq(w.peers["left"].s.Fail(w.now, w.held("left"), protocol.URLElicitationRequired(page))))
		if client {
			if e := w.fault(req); e.Code != protocol.CodeURLElicitationRequired || !strings.Contains(string(e.Data), `"left+1"`) {
				t.Errorf("%+v", e)
			}
			return
		}
		ev, asked = w.questions()[protocol.MethodElicitationCreate]
		if !asked || rawjson.Text(string(ev.Body), "url") != page.URL {
			t.Fatal(strings.Join(w.lines, "\n"))
		}
		w.answer(ev.Call, `{"action":"accept"}`)
		w.on("left")(w.peers["left"].s.Respond(w.now, w.held("left"), protocol.TextResult("done")))
		if got := w.result(req); !strings.Contains(got, "done") {
			t.Error(got)
		}
	}, func(w *world) { w.cc.Declare |= protocol.CapElicitationURL | protocol.CapElicitationForm })
}

// asksPage has a server ask for a page within the call that it holds.
func (w *world) asksPage(name, url string) {
	w.t.Helper()
	p := w.peers[name]
	if p.s.Revision().IsZero() {
		q := protocol.RawRequest{Name: protocol.MethodElicitationCreate, Body: jsonrpc.Raw(`{` + url + `}`)}
		w.on(name)(p.s.Respond(w.now, w.held(name), &protocol.InputRequired{Questions: []protocol.Question{{Key: "page", Params: q}}, State: "s"}))
		return
	}
	w.asks(name, protocol.RawRequest{Name: protocol.MethodElicitationCreate, Body: jsonrpc.Raw(`{` + url + `,"elicitationId":"1"}`)}, w.held(name))
}
