package verbs_test

import (
	"testing"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// An Envelope removes what it adds to a message of the peer, and missing additions
// stay visible.
func TestEnvelope(t *testing.T) {
	server := &verbs.Envelope{Revision: protocol.Revision20260728, Role: protocol.Server, Self: verbs.Who, Peer: `{"roots":{}}`}
	client := &verbs.Envelope{Revision: protocol.Revision20260728, Role: protocol.Client, Self: verbs.Who, Peer: "{}"}
	const (
		head    = `{"jsonrpc":"2.0","id":1,`
		version = `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`
		caps    = `"io.modelcontextprotocol/clientCapabilities":{"roots":{}}`
		who     = `"io.modelcontextprotocol/clientInfo":`
	)
	for text, want := range map[string]string{
		head + `"method":"tools/list"}`:                                  head + `"method":"tools/list","params":{"_meta":{` + who + `{"name":"peer","version":"1"},` + version + `,` + caps + `}}}`,
		head + `"method":"tools/list","params":null}`:                    head + `"method":"tools/list","params":{"_meta":{` + who + `{"name":"peer","version":"1"},` + version + `,` + caps + `}}}`,
		head + `"method":"tools/list","params":{}}`:                      head + `"method":"tools/list","params":{"_meta":{` + version + `,` + caps + `}}}`,
		head + `"x":1,"method":"tools/list","params":{"_meta":{"a":1}}}`: head + `"x":1,"method":"tools/list","params":{"_meta":{` + caps + `,` + version + `,"a":1}}}`,
		head + `"method":"tools/list","params":{"_meta":5}}`:             "",
		head + `"method":"tools/list","params":[]}`:                      "",
		`{"jsonrpc":"2.0","method":"notifications/x","params":{}}`:       "",
		head + `"method":5}`:                                             "",
	} {
		got := server.In(text)
		if want == "" {
			want = text
		}
		if got != want {
			t.Errorf("%s\nis   %s\nwant %s", text, got, want)
		}
		body := jsonrpc.DecodeString(got).Body
		back := server.Out(lifecycle.Output{Events: []lifecycle.Event{{Kind: lifecycle.RequestReceived, Body: body}}}).Events[0].Body
		if was := jsonrpc.DecodeString(text).Body; back != was {
			t.Errorf("%s comes back as %s", was, back)
		}
	}
	for text, want := range map[string]string{
		head + `"result":{}}`:                                 head + `"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}}`,
		head + `"result":{"tools":[]}}`:                       head + `"result":{"resultType":"complete","tools":[]}}`,
		head + `"result":{"resultType":"input_required"}}`:    "",
		head + `"result":[]}`:                                 "",
		head + `"error":{"code":1,"message":"m"}}`:            "",
		head + `"result":{},"error":{"code":1,"message":""}}`: "",
	} {
		got := client.In(text)
		if want == "" {
			want = text
		}
		if got != want {
			t.Errorf("%s\nis   %s\nwant %s", text, got, want)
		}
	}
	const info = `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"tested","version":"1"}}`
	for body, want := range map[string]string{
		`{"resultType":"complete",` + info + `,"content":[]}`:                                   head + `"result":{"content":[]}}`,
		`{"resultType":"complete","ttlMs":0,"cacheScope":"private",` + info + `,"tools":[]}`:    head + `"result":{"tools":[]}}`,
		`{"resultType":"complete",` + info + `,"supportedVersions":[],"capabilities":{}}`:       head + `"result":{}}`,
		`{"content":[],` + info + `}`:                                                           head + `"method":"nothing of the revision"}`,
		`{"resultType":"complete","content":[]}`:                                                head + `"method":"nothing of the revision"}`,
		`{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"x"}}}`: head + `"method":"nothing of the revision"}`,
	} {
		if got := sent(server, jsonrpc.Message{Kind: jsonrpc.KindResult, ID: jsonrpc.Int(1), Body: jsonrpc.Raw(body)}); got != want {
			t.Errorf("%s\nis   %s\nwant %s", body, got, want)
		}
	}
	const self = who + `{"name":"tested","version":"1"}`
	for body, want := range map[string]string{
		`{"_meta":{` + version + `,` + caps + `,` + self + `}}`:                   head + `"method":"tools/list"}`,
		`{"_meta":{"progressToken":1,` + version + `,` + caps + `,` + self + `}}`: head + `"method":"tools/list","params":{"_meta":{"progressToken":1}}}`,
		`{"cursor":"a","_meta":{` + version + `,` + caps + `,` + self + `}}`:      head + `"method":"tools/list","params":{"cursor":"a"}}`,
		`{"cursor":"a"}`: head + `"method":"nothing of the revision"}`,
		`{"_meta":{` + version + `,` + self + `}}`: head + `"method":"nothing of the revision"}`,
		`{"_meta":{` + version + `,` + caps + `}}`: head + `"method":"nothing of the revision"}`,
		`{"_meta":{` + caps + `,` + self + `}}`:    head + `"method":"nothing of the revision"}`,
	} {
		if got := sent(client, jsonrpc.Message{Kind: jsonrpc.KindRequest, ID: jsonrpc.Int(1), Method: "tools/list", Body: jsonrpc.Raw(body)}); got != want {
			t.Errorf("%s\nis   %s\nwant %s", body, got, want)
		}
	}
}

func sent(e *verbs.Envelope, m jsonrpc.Message) string {
	return verbs.Lines(e.Out(lifecycle.Output{Send: []lifecycle.Outgoing{{Message: m}}}))[0]
}
