package server_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// A function that asks again after Open has all answers so far in each run, also without a session,
// where a client brings those to the last questions alone. The state of the application is its own,
// whatever it looks like.
//
// rows: MRTR-016
// revisions: 2026-07-28
func TestRoundsOfQuestions(t *testing.T) {
	for _, keys := range [][][]byte{nil, {[]byte(strings.Repeat("k", 32))}} {
		for _, at := range []string{"", "at ", "answers ", `answers {"requestState":"x"}`} {
			h := &server.Handlers{}
			h.Tool(protocol.Tool{Name: "t"}, func(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
				q := protocol.Ask(p)
				text := ""
				for round := range 3 {
					a := q.Elicit(fmt.Sprint("k", round), protocol.ElicitParams{Message: "who?"})
					if err := q.Open(at + text); err != nil {
						return nil, err
					}
					text += string(a.Action[0])
				}
				return protocol.TextResult(q.State() + "|" + text), nil
			})
			catalog, err := h.Catalog()
			if err != nil {
				t.Fatal(err)
			}
			s, err := server.New(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog, Serve: h.Serve(), Revisions: protocol.AllRevisions(), StateKeys: keys}, began)
			if err != nil {
				t.Fatal(err)
			}
			call := func(more string) string {
				_, o := h.Receive(s, began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t",`+more+modern(`{"elicitation":{}}`)+`}}`))
				if len(o.Send) != 1 || o.Send[0].Message.Err != nil {
					return texts(o)
				}
				return string(o.Send[0].Message.Body)
			}
			got := call("")
			for round, action := range []string{"decline", "cancel", "accept"} {
				key := fmt.Sprint("k", round)
				if asked, _ := rawjson.Get(got, "inputRequests"); strings.Count(asked, "elicitation/create") != 1 || !strings.Contains(asked, `"`+key+`"`) {
					t.Fatalf("round %d: %s", round, got)
				}
				state := ""
				if raw, ok := rawjson.Get(got, "requestState"); ok {
					state = `"requestState":` + raw + `,`
				}
				got = call(`"inputResponses":{"` + key + `":{"action":"` + action + `"}},` + state)
			}
			content, _ := rawjson.Get(got, "content")
			want := string(rawjson.AppendQuote(nil, at+"dc|dca"))
			if !strings.Contains(content, want) {
				t.Errorf("%s, want %s", got, want)
			}
			if keys != nil {
				continue
			}
			for _, state := range []string{"answers ", "answers {", "answers 1", "answers {}", `answers {\"inputResponses\":1}`, `answers {\"inputResponses\":{\"k0\":1}}`} {
				if got := call(`"requestState":"` + state + `",`); !strings.Contains(got, `"message":"invalid requestState"`) {
					t.Errorf("%s: %s", state, got)
				}
			}
			if got := call(`"requestState":"answers {\"inputResponses\":{\"k0\":{\"action\":\"maybe\"}}}",`); !strings.Contains(got, `"k0":{"method"`) {
				t.Errorf("an answer that does not fit: %s", got)
			}
		}
	}
}
