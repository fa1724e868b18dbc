package gating_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// twoReadings are params that this side and a peer behind a gateway may read
// differently: the peer's decoder uses the first of two members, or ignores case as Go's
// encoding/json does. The gateway allows what one reading names, and has not seen the other.
var twoReadings = map[string][]string{
	"tools/call": {
		`{"name":"secret","name":"t"}`, `{"name":"t","NAME":"secret"}`, `{"Name":"secret","name":"t"}`, `{"name":"t","n\u0061me":"t"}`, `{"Name":"t"}`,
		`{"name":"t","_meta":{"progressToken":1},"_meta":{}}`, `{"name":"t","_meta":{},"_Meta":{"progressToken":1}}`, `{"name":"t","_META":{"progressToken":1}}`,
		`{"name":"t","_meta":{"progressToken":1,"progressToken":"a"}}`, `{"name":"t","_meta":{"progressToken":"a","progreſsToken":1}}`,
		`{"name":"t","arguments":{},"Arguments":{"path":"/etc/passwd"}}`, `{"name":"t","arguments":{"path":"/etc/passwd"},"arguments":{}}`,
	},
	"prompts/get":              {`{"name":"t","Name":"secret"}`, `{"name":"secret","name":"t"}`},
	"resources/read":           {`{"uri":"x://a","URI":"x://secret"}`, `{"uri":"x://secret","uri":"x://a"}`},
	"resources/subscribe":      {`{"uri":"x://a","Uri":"x://secret"}`, `{"uri":"x://secret","uri":"x://a"}`},
	"resources/unsubscribe":    {`{"uri":"x://a","uRI":"x://secret"}`},
	"logging/setLevel":         {`{"level":"debug","level":"info"}`},
	"completion/complete":      {`{"ref":{"type":"ref/prompt","name":"t","NAME":"secret"},"argument":{"name":"a","value":""}}`, `{"ref":{"type":"ref/prompt","name":"t"},"Ref":{},"argument":{"name":"a","value":""}}`},
	"sampling/createMessage":   {`{"messages":[],"maxTokens":1,"_meta":{"progressToken":1},"_META":{"progressToken":2}}`},
	"x/own":                    {`{"_meta":{},"_meta":{"progressToken":1}}`},
	"resources/templates/list": {`{"_meta":{"progressToken":2},"_meta":{}}`},
}

// A gateway neither accepts nor forwards a request if it cannot tell what the peer
// behind it will read: PassThrough refuses it from its peer, and no State sends such raw
// params, with PassThrough or without.
func TestTwoReadings(t *testing.T) {
	newest := protocol.Revisions()[0]
	for role := range passing {
		x := gateway(t, role, newest)
		plain := verbs.NewClient(t, client.Config{}).Open(newest, everyCapability)
		if role == protocol.Client {
			plain = verbs.NewServer(t, server.Config{}).Open(newest, everyCapability)
		}
		for method, bodies := range twoReadings {
			row := newest.Row(method)
			for i, body := range bodies {
				if row == nil || row.Receiver.Has(role) {
					_, out := x.Receive(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, i+100, method, body))
					if len(out.Send) != 1 || out.Send[0].Message.Err == nil || out.Send[0].Message.Err.Code != jsonrpc.CodeInvalidParams || len(out.Events) != 1 || out.Events[0].Rule != "ERR-005" {
						t.Errorf("%v, %s %s received: %+v", role, method, body, out)
					}
				}
				for _, y := range []verbs.Side{x, plain} {
					if row != nil && !row.Receiver.Has(y.Role.Peer()) {
						continue
					}
					if _, _, err := y.Request(protocol.RawRequest{Name: method, Body: jsonrpc.Raw(body)}, lifecycle.RequestOptions{ReplaceToken: true}); !errors.Is(err, lifecycle.ErrParams) {
						t.Errorf("%v, %s %s sent: %v", y.Role, method, body, err)
					}
				}
			}
		}
	}
}

// What a catalog hides is also hidden from completion, with PassThrough or without.
func TestHiddenReferences(t *testing.T) {
	c, err := server.NewCatalog(server.Items{
		Prompts: []protocol.Prompt{{Name: "p"}}, Resources: []protocol.Resource{{Name: "r", URI: "x://r"}},
		ResourceTemplates: []protocol.ResourceTemplate{{Name: "t", URITemplate: "x://t/{v}"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, pass := range []bool{false, true} {
		x := verbs.NewServer(t, server.Config{
			Catalog: c, Serve: []string{"prompts/get", "resources/read", "completion/complete"}, Policy: lifecycle.Policy{PassThrough: pass},
		}).Open(protocol.Revisions()[0], "{}")
		for ref, known := range map[string]bool{
			`{"type":"ref/prompt","name":"p"}`: true, `{"type":"ref/resource","uri":"x://r"}`: true, `{"type":"ref/resource","uri":"x://t/{v}"}`: true,
			`{"type":"ref/resource","uri":"x://t/1"}`: true, // the template makes it
			`{"type":"ref/prompt","name":"secret"}`:   false, `{"type":"ref/resource","uri":"x://secret"}`: false, `{"type":"ref/resource","uri":"x://t/1/2"}`: false,
			`{"type":"ref/prompt","name":"secret","uri":"x://r"}`: false, `{"type":"ref/resource","uri":"x://secret","name":"p"}`: false,
			`{"type":"ref/other","name":"p"}`: false, `{"name":"secret"}`: false, `["p"]`: false, `null`: false,
		} {
			_, out := x.Receive(`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":` + ref + `,"argument":{"name":"v","value":""}}}`)
			if got := out.Fate == lifecycle.FateAccepted; got != known {
				t.Errorf("PassThrough %v: %s: %+v", pass, ref, out)
			}
		}
	}
}

// A log message with an unknown level is for the client to judge.
func TestPassThroughOddLevels(t *testing.T) {
	x := gateway(t, protocol.Server, protocol.Revisions()[0])
	for _, body := range []jsonrpc.Raw{`{"level":"warn","data":1}`, `{"data":1}`, `{"level":5}`} {
		if _, out, err := x.Notify(protocol.RawRequest{Name: "notifications/message", Body: body}); err != nil || len(out.Send) != 1 || out.Send[0].Message.Body != body {
			t.Errorf("%s: %v %+v", body, err, out)
		}
	}
}

// A policy applies from Restore on: open requests of one can be restored under the
// other, and can end there.
func TestRestoreUnderAnotherPolicy(t *testing.T) {
	newest := protocol.Revisions()[0]
	asks := map[protocol.Party][][2]string{
		protocol.Server: {
			{"logging/setLevel", `{"level":"loud"}`}, {"logging/setLevel", `{"level":"info"}`}, {"resources/subscribe", `{"uri":"a b"}`},
			{"tools/call", `{"name":"t","arguments":[1]}`}, {"completion/complete", `{"a":1}`}, {"x/own", `{}`},
		},
		protocol.Client: {{"elicitation/create", `{"message":5}`}, {"sampling/createMessage", `{}`}, {"roots/list", `{"a":1}`}},
	}
	for role, list := range asks {
		for _, ask := range list {
			x, out := gateway(t, role, newest).Receive(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, ask[0], ask[1]))
			if out.Fate != lifecycle.FateAccepted {
				t.Fatalf("%v: %+v", ask, out)
			}
			for _, own := range asks[role.Peer()] {
				if x, _, _ = x.Request(protocol.RawRequest{Name: own[0], Body: jsonrpc.Raw(own[1])}, lifecycle.RequestOptions{}); x.Status().Outbound == 0 {
					t.Fatal(own)
				}
			}
			for _, pass := range []bool{false, true} {
				y, err := restoreUnder(x, newest, lifecycle.Policy{PassThrough: pass})
				if err != nil {
					t.Errorf("%v: %v", ask, err)
					continue
				}
				for call := range y.Inbound() {
					if y, out, err = y.Respond(call.Call, jsonrpc.Raw("{}")); err != nil && !pass {
						y, out, err = y.Fail(call.Call, protocol.InternalError("x"))
					}
					if err != nil || len(out.Send) != 1 {
						t.Errorf("%v: %v %+v", ask, err, out)
					}
				}
				for range asks[role.Peer()] {
					y, _ = y.Receive(y.Result(`{"a":1,"action":"accept","content":{"b":1}}`))
				}
				if st := y.Status(); st.Inbound+st.Outbound != 0 {
					t.Errorf("%v: %+v", ask, st)
				}
			}
		}
	}
}

// restoreUnder continues from the snapshot of x under another policy.
func restoreUnder(x verbs.Side, r protocol.Revision, policy lifecycle.Policy) (verbs.Side, error) {
	srv, cli := gatewayConfigs(x.Role, r, policy)
	m, err := verbs.Config{Party: x.Role, Server: srv, Client: cli}.Restore(x.Snapshot(), x.Now)
	return x.With(m), err
}

// Whatever the params, a call that a gateway accepts names a listed tool for all
// decoders: those that ignore case, and those that use the first or the last of two members.
func TestOneReading(t *testing.T) {
	c, err := server.NewCatalog(server.Items{Tools: []protocol.Tool{{Name: "t", InputSchema: `{"type":"object"}`}}})
	if err != nil {
		t.Fatal(err)
	}
	x := verbs.NewServer(t, server.Config{
		Catalog: c, Serve: []string{"tools/call"}, Policy: lifecycle.Policy{PassThrough: true},
	}).Open(protocol.Revisions()[0], "{}")
	taken := 0
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"name", "Name", "NAME", `n\u0061me`, `nam\u0045`, "names", "nam", "_meta", "_META", "_met", "x"})
		val := rapid.SampledFrom([]string{`"t"`, `"secret"`, `"\u0074"`, `5`, `null`, `{}`, `{"name":"secret"}`, `["t"]`, `""`})
		list := []string{`"name":"t"`}[:rapid.IntRange(0, 1).Draw(t, "named")]
		for range rapid.IntRange(0, 3).Draw(t, "n") {
			list = append(list, `"`+name.Draw(t, "name")+`":`+val.Draw(t, "value"))
		}
		body := "{" + strings.Join(rapid.Permutation(list).Draw(t, "members"), ",") + "}"
		_, out := x.Receive(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + body + `}`)
		if out.Fate != lifecycle.FateAccepted {
			return
		}
		taken++
		d := json.NewDecoder(strings.NewReader(body))
		_, _ = d.Token()
		for d.More() {
			member, _ := d.Token()
			var v any
			if err := d.Decode(&v); err != nil {
				t.Fatal(err)
			}
			if strings.EqualFold(member.(string), "name") && v != "t" {
				t.Fatalf("%s is taken, and can be read as a call of %v", body, v)
			}
		}
	})
	if taken == 0 {
		t.Error("no call was taken")
	}
}
