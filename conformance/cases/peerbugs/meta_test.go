package peerbugs_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// typed are params with _meta, for each request that each role sends.
func typed(meta protocol.Meta) map[protocol.Party][]protocol.Params {
	return map[protocol.Party][]protocol.Params{
		protocol.Client: {
			protocol.PingParams{Meta: meta}, protocol.ListToolsParams{Meta: meta}, protocol.ListResourcesParams{Meta: meta}, protocol.ListResourceTemplatesParams{Meta: meta},
			protocol.ListPromptsParams{Meta: meta}, protocol.CallToolParams{Name: "t", Meta: meta}, &protocol.CallToolParams{Name: "t", Arguments: "{}", Meta: meta},
			protocol.ReadResourceParams{URI: "a:b", Meta: meta}, protocol.SubscribeParams{URI: "a:b", Meta: meta}, protocol.UnsubscribeParams{URI: "a:b", Meta: meta},
			protocol.GetPromptParams{Name: "p", Meta: meta}, protocol.SetLevelParams{Level: "info", Meta: meta},
			protocol.CompleteParams{Ref: protocol.PromptReference("p"), Argument: protocol.CompleteArgument{Name: "a"}, Meta: meta},
		},
		protocol.Server: {
			protocol.PingParams{Meta: meta}, protocol.ListRootsParams{Meta: meta}, protocol.CreateMessageParams{MaxTokens: 1, Meta: meta}, protocol.ElicitParams{Message: "m", Meta: meta},
		},
	}
}

// metaOf is the _meta of the sent message.
func metaOf(out lifecycle.Output) string {
	val, _ := rawjson.Get(string(out.Send[0].Message.Body), "_meta")
	return val
}

// Case 61: a token is added to the caller's _meta and never replaces the caller's token;
// without _meta, with an empty one, and for every method.
func Test61TokenBesideMeta(t *testing.T) {
	for _, role := range roles {
		x := at(full(t, role, lifecycle.Policy{}), lifecycle.Ready)
		id := map[protocol.Party]string{protocol.Server: "1", protocol.Client: "2"}[role]
		for meta, want := range map[protocol.Meta]string{
			"": `{"progressToken":` + id + `}`, "{}": `{"progressToken":` + id + `}`, `{"a/b":1}`: `{"a/b":1,"progressToken":` + id + `}`,
			`{"a/b":{"progressToken":"inner"},"c":null}`: `{"a/b":{"progressToken":"inner"},"c":null,"progressToken":` + id + `}`,
		} {
			for _, p := range typed(meta)[role] {
				list := []protocol.Params{p, protocol.RawRequest{Name: p.Method(), Body: jsonrpc.Raw(p.AppendJSON(nil))}}
				for _, p := range list {
					_, out, err := x.Request(p, lifecycle.RequestOptions{Progress: true})
					if err != nil || metaOf(out) != want {
						t.Errorf("%s with _meta %s: %v, sent %q, want %s", p.Method(), meta, err, verbs.Lines(out), want)
					}
					if _, out, err = x.Request(p, lifecycle.RequestOptions{}); err != nil || string(meta) != metaOf(out) && meta != "{}" {
						t.Errorf("%s with _meta %s, no progress: %v, sent %q", p.Method(), meta, err, verbs.Lines(out))
					}
				}
			}
		}
		for _, token := range []string{`"mine"`, "7", id, `""`, "0"} {
			meta := protocol.Meta(`{"progressToken":` + token + `,"a/b":1}`)
			for _, p := range typed(meta)[role] {
				_, out, err := x.Request(p, lifecycle.RequestOptions{})
				if err != nil || metaOf(out) != string(meta) {
					t.Errorf("%s with a token %s: %v, sent %q", p.Method(), token, err, verbs.Lines(out))
				}
				if _, _, err = x.Request(p, lifecycle.RequestOptions{Progress: true}); !errors.Is(err, lifecycle.ErrParams) {
					t.Errorf("%s with a token %s, and another wanted: %v", p.Method(), token, err)
				}
				// A relay has its own, and leaves the rest unchanged.
				_, out, err = x.Request(p, lifecycle.RequestOptions{ReplaceToken: true})
				if want := strings.Replace(string(meta), token, id, 1); err != nil || metaOf(out) != want {
					t.Errorf("%s with a token %s to replace: %v, sent %q, want %s", p.Method(), token, err, verbs.Lines(out), want)
				}
			}
		}
	}
}

// Case 61: _meta of a request reaches the application of the other side, that of its result
// comes back, and that of notifications arrives, directly and through a relay.
func Test61MetaArrives(t *testing.T) {
	c, s := application(t, protocol.Client), application(t, protocol.Server)
	rapid.Check(t, func(rt *rapid.T) {
		meta := protocol.Meta(`{"a/b":` + userData(rt, 2) + `}`)
		for name, h := range hops(rt, c, s) {
			for i, r := range requestsTo[protocol.Server] {
				if r.name == "tools/list" && rapid.Bool().Draw(rt, "one") || i%3 != rapid.IntRange(0, 2).Draw(rt, "some") {
					continue // any of them, not all at once
				}
				params := jsonrpc.Raw(rawjson.Set(r.params, "_meta", string(meta)))
				result := jsonrpc.Raw(rawjson.Set(r.result, "_meta", string(meta)))
				body, end := h.do(protocol.RawRequest{Name: r.name, Body: params}, lifecycle.RequestOptions{}, lifecycle.Answer{Result: result})
				if body != params || end.Body != result {
					rt.Errorf("%s, %s: the server got %s, the client %s; want %s, %s", name, r.name, body, end.Body, params, result)
				}
			}
		}
		for _, n := range []protocol.Params{
			protocol.ToolListChangedParams{Meta: meta}, protocol.LoggingMessageParams{Level: "info", Data: "null", Meta: meta}, protocol.RawRequest{Name: "notifications/prompts/list_changed", Body: jsonrpc.Raw(`{"_meta":` + string(meta) + `}`)},
		} {
			x := at(full(t, protocol.Server, lifecycle.Policy{}), lifecycle.Ready)
			_, out, err := x.Notify(n)
			if err != nil {
				rt.Fatal(n.Method(), err)
			}
			_, out = c.Receive(verbs.Lines(out)[0])
			if val, _ := rawjson.Get(string(out.Events[len(out.Events)-1].Body), "_meta"); val != string(meta) {
				rt.Errorf("%s arrives with %s, want %s", n.Method(), val, meta)
			}
		}
	})
}
