package gating_test

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

// oddBodies are objects that no method's schema allows and that a gateway passes on
// nevertheless: fields of other types, nulls, members of later revisions, unknown content.
var oddBodies = []string{
	`{"name":"t","uri":"/etc/hosts","level":"loud","message":5}`,
	`{"name":"t","uri":"a b","arguments":[1],"x":null,"content":[{"type":"hologram"},7],"isError":"yes"}`,
	`{"uri":"x","name":"","values":null,"completion":{"values":5},"structuredContent":{"a":1},"tools":5}`,
	`{"name":"t","uri":"x","message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}}}}`,
	`{"name":"t","uri":"x","action":"accept","content":{"a":["b"]},"title":"T","icons":[{"src":"y"}]}`,
	"{ \"name\" :\t\"t\", \"uri\":\"u\" ,\"number\":1.0e+05,\"dup\":1,\"dup\":2}",
}

// passes are requests and notifications that a gateway passes on.
type passes struct{ requests, notes []string }

// passing are those of the table and of the application, by receiver.
var passing = func() map[protocol.Party]passes {
	all := map[protocol.Party]passes{}
	list, _ := verbs.Methods(protocol.Revision20250618)
	for _, role := range []protocol.Party{protocol.Server, protocol.Client} {
		var p passes
		for _, m := range list {
			switch {
			case m.Sender != role.Peer() || m.Name == "initialize":
			case m.Request:
				p.requests = append(p.requests, m.Name)
			case strings.HasSuffix(m.Name, "/list_changed"):
				p.notes = append(p.notes, m.Name)
			}
		}
		all[role] = passes{append(p.requests, "x/own"), append(p.notes, "notifications/own")}
	}
	return all
}()

const everyCapability = `{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},` +
	`"completions":{},"logging":{},"roots":{"listChanged":true},"sampling":{},"elicitation":{}}`

func gateway(t *testing.T, role protocol.Party, r protocol.Revision) verbs.Side {
	srv, cli := gatewayConfigs(role, r, lifecycle.Policy{PassThrough: true})
	if role == protocol.Client {
		return verbs.NewClient(t, cli).Open(r, everyCapability)
	}
	return verbs.NewServer(t, srv).Open(r, everyCapability)
}

// gatewayConfigs returns the Config of a role, and an unused one of the other.
func gatewayConfigs(role protocol.Party, r protocol.Revision, policy lifecycle.Policy) (server.Config, client.Config) {
	info := protocol.Implementation{Name: "gateway", Version: "1"}
	var serve []string
	for _, m := range passing[role].requests {
		if row := r.Row(m); row != nil {
			serve = append(serve, m)
		}
	}
	return server.Config{
			Info: info, Serve: serve, ServeUnknown: true, ListChanged: listChanges, Logging: true, ChangeDelay: -1, Policy: policy, Revisions: []protocol.Revision{r},
		}, client.Config{
			Info: info, Serve: serve, ServeUnknown: true, RootsListChanged: true, Policy: policy, Revisions: []protocol.Revision{r},
		}
}

// A gateway passes every body on unchanged, in and out, in every revision.
func TestPassThrough(t *testing.T) {
	for _, r := range protocol.Revisions() {
		for role, all := range passing {
			x := gateway(t, role, r)
			for _, body := range oddBodies {
				for i, method := range all.requests {
					if r.Row(method) == nil && method != "x/own" {
						continue
					}
					what := fmt.Sprintf("%v, %v, %s %s", r, role, method, body)
					asked, out := x.Receive(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, i+100, method, body))
					if len(out.Events) != 1 || out.Events[0].Kind != lifecycle.RequestReceived || string(out.Events[0].Body) != body || len(out.Send) != 0 {
						t.Errorf("%s received: %+v", what, out)
						continue
					}
					_, out, err := asked.Respond(out.Opened, jsonrpc.Raw(body))
					if err != nil || len(out.Send) != 1 || string(out.Send[0].Message.Body) != body || len(out.Events) != 0 {
						t.Errorf("%s answered: %v %+v", what, err, out)
					}
				}
				for _, method := range all.notes {
					_, out := x.Receive(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, body))
					if len(out.Events) != 1 || out.Events[0].Kind != lifecycle.NotificationReceived || string(out.Events[0].Body) != body {
						t.Errorf("%v, %v, %s %s told: %+v", r, role, method, body, out)
					}
				}
				toPeer(t, x, r, passing[role.Peer()].requests, passing[role.Peer()].notes, body)
			}
		}
	}
}

// A gateway passes errors on unchanged, in every revision, even if only a newer one
// has them or their data do not fit their code. Nothing of
// them is kept: the pages that they announce belong to another session.
func TestPassThroughErrors(t *testing.T) {
	for _, r := range protocol.Revisions() {
		for role, all := range passing {
			x := gateway(t, role, r)
			for _, data := range []jsonrpc.Raw{
				`{"elicitations":[{"mode":"url","message":"m","url":"https://example.com","elicitationId":"1"}]}`, `{"elicitations":[5]}`, "7", "",
			} {
				e := jsonrpc.Error{Code: protocol.CodeURLElicitationRequired, Message: "m", Data: data}
				what := fmt.Sprintf("%v, %v, %s", r, role, data)
				asked, out := x.Receive(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"name":"t","uri":"u"}}`, all.requests[0]))
				answered, out, err := asked.Fail(out.Opened, e)
				if err != nil || len(out.Send) != 1 || *out.Send[0].Message.Err != e || len(out.Events) != 0 {
					t.Errorf("%s sent: %v %+v", what, err, out)
				}
				asked, _, err = answered.Request(protocol.RawRequest{Name: "x/own"}, lifecycle.RequestOptions{})
				if err != nil {
					t.Fatal(what, err)
				}
				line := `{"code":-32042,"message":"m"}`
				if data != "" {
					line = `{"code":-32042,"message":"m","data":` + string(data) + `}`
				}
				answered, out = asked.Receive(`{"jsonrpc":"2.0","id":` + asked.LastID() + `,"error":` + line + `}`)
				if len(out.Events) != 1 || out.Events[0].Kind != lifecycle.ResponseReceived || *out.Events[0].Err != e {
					t.Errorf("%s got: %+v", what, out)
				}
				x = answered
			}
			if kept := string(x.Machine.Snapshot()); strings.Contains(kept, `"announced"`) {
				t.Errorf("%v, %v: kept %s", r, role, kept)
			}
		}
	}
}

// toPeer sends messages for the peer of x.
func toPeer(t *testing.T, x verbs.Side, r protocol.Revision, requests, notes []string, body string) {
	t.Helper()
	for _, method := range requests {
		if r.Row(method) == nil && method != "x/own" {
			continue
		}
		what := fmt.Sprintf("%v, %v, %s %s", r, x.Role, method, body)
		asked, out, err := x.Request(protocol.RawRequest{Name: method, Body: jsonrpc.Raw(body)}, lifecycle.RequestOptions{})
		if err != nil || len(out.Send) != 1 || string(out.Send[0].Message.Body) != body || len(out.Events) != 0 {
			t.Errorf("%s sent: %v %+v", what, err, out)
			continue
		}
		_, out = asked.Receive(asked.Result(body))
		if len(out.Events) != 1 || out.Events[0].Kind != lifecycle.ResponseReceived || string(out.Events[0].Body) != body {
			t.Errorf("%s got: %+v", what, out)
		}
	}
	for _, method := range notes {
		_, out, err := x.Notify(protocol.RawRequest{Name: method, Body: jsonrpc.Raw(body)})
		if err != nil || len(out.Send) != 1 || string(out.Send[0].Message.Body) != body || len(out.Events) != 0 {
			t.Errorf("%v, %v, %s %s: %v %+v", r, x.Role, method, body, err, out)
		}
	}
}

// Everything except bodies is checked as usual: envelopes, ids, phases, methods, directions,
// capabilities, limits, and the messages that the machine itself reads.
func TestPassThroughIsNoHole(t *testing.T) {
	newest := protocol.Revisions()[0]
	for role := range passing {
		x := gateway(t, role, newest)
		for line, rule := range map[string]string{
			`{"jsonrpc":"1.0","id":1,"method":"x/own"}`:                                                                    "JRPC-002",
			`{"jsonrpc":"2.0","id":null,"method":"x/own"}`:                                                                 "JRPC-004",
			`{"jsonrpc":"2.0","id":1,"method":"x/own","params":5}`:                                                         "JRPC-027",
			`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":5}}`:                                                "ERR-005",
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`:                               "CANC-018",
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`:                                              "PROG-006",
			`{"jsonrpc":"2.0","id":1,"method":"notifications/cancelled"}`:                                                  "JRPC-022",
			`{"jsonrpc":"2.0","method":"tools/call"}`:                                                                      "JRPC-023",
			`{"jsonrpc":"2.0","id":77,"result":{}}`:                                                                        "JRPC-031",
			fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q}`, passing[role.Peer()].requests[0]):                          "CAP-019",
			fmt.Sprintf(`{"jsonrpc":"2.0","id":"%s","method":"x/own"}`, string(make5000())):                                "ERR-013",
			fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"x/own","params":{"_meta":{"progressToken":"%s"}}}`, make5000()): "ERR-013",
		} {
			if _, out := x.Receive(line); len(out.Events) != 1 || out.Events[0].Kind != lifecycle.Violation || out.Events[0].Rule != rule {
				t.Errorf("%v: %.100s: %+v, want %s", role, line, out.Events, rule)
			}
		}
		for name, p := range map[string]protocol.Params{"no JSON": protocol.RawRequest{Name: "x/own", Body: `{`}, "a list": protocol.RawRequest{Name: "x/own", Body: `[]`}, "none": protocol.RawRequest{}} {
			if _, _, err := x.Request(p, lifecycle.RequestOptions{}); err == nil {
				t.Errorf("%v: %s goes out", role, name)
			}
		}
	}
	fresh := verbs.NewServer(t, server.Config{Policy: lifecycle.Policy{PassThrough: true}, ServeUnknown: true})
	if _, out := fresh.Receive(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":5}}`); len(out.Send) != 1 || out.Send[0].Message.Err == nil {
		t.Errorf("initialize: %+v", out)
	}
	// An unlisted name stays unknown, and an invalid level changes nothing.
	c, err := server.NewCatalog(server.Items{Tools: []protocol.Tool{{Name: "t", InputSchema: `{"type":"object","properties":{"n":{"type":"integer"}}}`}}})
	if err != nil {
		t.Fatal(err)
	}
	x := verbs.NewServer(t, server.Config{Catalog: c, Serve: []string{"tools/call"}, Logging: true, Policy: lifecycle.Policy{PassThrough: true}}).Open(newest, "{}")
	if _, out := x.Receive(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"u"}}`); out.Fate != lifecycle.FateAnswered || out.Send[0].Message.Err == nil {
		t.Errorf("an unknown tool: %+v", out)
	}
	if _, out := x.Receive(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"n":"x"}}}`); len(out.Events) != 1 {
		t.Errorf("arguments that do not fit: %+v", out)
	}
	x, _ = x.Receive(`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"loud"}}`)
	if _, out, err := x.Notify(protocol.LoggingMessageParams{Level: "debug", Data: "1"}); err != nil || len(out.Send) != 1 || len(x.Snapshot()) == 0 {
		t.Errorf("after a level that is none: %v %+v", err, out)
	}
}

func make5000() []byte {
	b := make([]byte, 5000)
	for i := range b {
		b[i] = 'a'
	}
	return b
}
