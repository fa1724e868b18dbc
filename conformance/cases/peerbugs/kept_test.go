package peerbugs_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/memory"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// huge is the size of a message apart from what is kept; keeping a whole message would cost that much.
const huge = 1 << 18

// An answer that waits to be written keeps the id and not the request in memory.
func TestAnswersDoNotKeepTheRequest(t *testing.T) {
	pad := `"pad":"` + strings.Repeat("x", huge) + `"`
	for _, id := range []string{`"an id"`, `"\u0061n id"`, `1.0`, `10000000000000000000`, `7`} {
		for name, text := range map[string]string{
			"result":             `{"jsonrpc":"2.0","id":%s,"method":"ping","params":{%s}}`,
			"unknown method":     `{"jsonrpc":"2.0","id":%s,"method":"x/y","params":{%s}}`,
			"wrong direction":    `{"jsonrpc":"2.0","id":%s,"method":"notifications/cancelled","params":{%s}}`,
			"bad params":         `{"jsonrpc":"2.0","id":%s,"method":"ping","params":{"_meta":5,%s}}`,
			"no version":         `{"id":%s,"method":"ping","params":{%s}}`,
			"mixed":              `{"jsonrpc":"2.0","id":%s,"method":"ping","result":{%s}}`,
			"second initialize":  `{"jsonrpc":"2.0","id":%s,"method":"initialize","params":{%s}}`,
			"unreadable":         "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"ping\",\"params\":{%s,\"a\":\"\xff\"}}",
			"cut":                `{"jsonrpc":"2.0","id":%s,"method":"ping","params":{%s`,
			"nested":             `{"jsonrpc":"2.0","id":%s,"method":"ping","params":{%s,"a":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}}`,
			"two":                `{"jsonrpc":"2.0","id":%s,"method":"ping","params":{%s}} {}`,
			"answered by nobody": `{"jsonrpc":"2.0","id":%s,"method":"sampling/createMessage","params":{%s}}`,
		} {
			for _, role := range roles {
				x := at(full(t, role, lifecycle.Policy{}), lifecycle.Ready)
				var line string
				got := memory.Retained(func() any {
					_, out := x.Receive(fmt.Sprintf(text, id, pad))
					line = strings.Join(verbs.Lines(out), "\n")
					return out.Send
				})
				runtime.KeepAlive(pad)
				if got > huge/16 || !strings.Contains(line, `"id":`+id) {
					t.Errorf("%v, %s: %.80s keeps %d bytes", role, name, line, got)
				}
			}
		}
	}
}

// keeping is a ready side whose application also has custom methods.
func keeping(t *testing.T, role protocol.Party) verbs.Side {
	if role == protocol.Client {
		return verbs.NewClient(t, client.Config{Serve: []string{"elicitation/create", "x/served"}}).Open(spoken, allOfServer)
	}
	catalog, err := server.NewCatalog(server.Items{
		Tools: []protocol.Tool{{Name: "t", InputSchema: `{"type":"object"}`}}, Resources: []protocol.Resource{{URI: "a:b", Name: "b"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return verbs.NewServer(t, server.Config{
		Catalog: catalog, Serve: []string{"tools/call", "resources/read", "x/served"}, Subscribe: true, Logging: true,
	}).Open(spoken, allOfClient)
}

// An answer of the application, an expiry and all other ends of a call repeat an id
// in the table: it is a copy too, like everything that a session keeps of a request.
func TestSessionsDoNotKeepMessages(t *testing.T) {
	pad := `"pad":"` + strings.Repeat("x", huge) + `"`
	for name, c := range map[string]struct {
		role  string
		lines []string
	}{
		"id":            {"both", []string{`{"jsonrpc":"2.0","id":"an id","method":"x/served","params":{%s}}`}},
		"spelling":      {"both", []string{`{"jsonrpc":"2.0","id":"\u0061n id","method":"x/served","params":{%s}}`}},
		"large integer": {"both", []string{`{"jsonrpc":"2.0","id":100000000000000000001,"method":"x/served","params":{%s}}`}},
		"token":         {"both", []string{`{"jsonrpc":"2.0","id":1,"method":"x/served","params":{"_meta":{"progressToken":"a token"},%s}}`}},
		"custom name":   {"both", []string{`{"jsonrpc":"2.0","id":1,"method":"x/served","params":{%s}}`}},
		"cancelled":     {"both", []string{`{"jsonrpc":"2.0","id":1,"method":"x/served"}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"r",%s}}`}},
		"log level":     {"server", []string{`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"error",%s}}`}},
		"tool":          {"server", []string{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t",%s}}`}},
		"subscription":  {"server", []string{`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"a:b",%s}}`}},
		"form":          {"client", []string{`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}},%s}}`}},
		"unreadable":    {"both", []string{"{\"jsonrpc\":\"2.0\",\"id\":\"an id\",\"method\":\"ping\",\"params\":{%s,\"a\":\"\xff\"}}"}},
	} {
		for _, role := range roles {
			if c.role != "both" && c.role != role.String() {
				continue
			}
			x := keeping(t, role)
			opened := 0
			got := memory.Retained(func() any {
				for _, text := range c.lines {
					if strings.Contains(text, "%s") {
						text = fmt.Sprintf(text, pad)
					}
					var out lifecycle.Output
					if x, out = x.Receive(text); !out.Opened.IsZero() {
						opened++
					}
				}
				return x
			})
			runtime.KeepAlive(pad)
			if got > huge/8 || opened == 0 {
				t.Errorf("%v, %s: the session keeps %d bytes", role, name, got)
			}
		}
	}
}

// A handshake keeps only the name of the peer, and a restored session only its
// texts.
func TestHandshakesAndSnapshotsAreNotKept(t *testing.T) {
	pad := strings.Repeat(" ", huge)
	for _, role := range roles {
		x := full(t, role, lifecycle.Policy{})
		if role == protocol.Client {
			x, _ = x.Begin(spoken, allOfServer)
		}
		peer := `{"protocolVersion":"2025-06-18","capabilities":{},"` + map[protocol.Party]string{protocol.Server: "clientInfo", protocol.Client: "serverInfo"}[role] +
			`":{"name":"peer","version":""},"instructions":"` + pad + `"}`
		got := memory.Retained(func() any {
			if role == protocol.Client {
				x, _ = x.Receive(x.Result(peer))
			} else {
				x, _ = x.Receive(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":` + peer + `}`)
			}
			return x
		})
		runtime.KeepAlive(peer)
		if got > huge/8 || x.Revision() != spoken {
			t.Errorf("%v, handshake: the session keeps %d bytes", role, got)
		}
	}

	cfg := server.Config{Info: verbs.Who, Serve: []string{"x/served"}, Logging: true}
	x := verbs.NewServer(t, cfg).Open(spoken, allOfClient)
	x, _ = x.Receive(`{"jsonrpc":"2.0","id":"\u0061n id","method":"x/served","params":{"_meta":{"progressToken":"a token"}}}`)
	x, _ = x.Receive(`{"jsonrpc":"2.0","id":100000000000000000001,"method":"x/served"}`)
	s, _, err := x.Server().Request(verbs.Epoch, protocol.RawRequest{Name: "x/asked", Body: `{"_meta":{"progressToken":"mine"}}`}, server.RequestOptions{})
	if err != nil {
		t.Fatal(err)
	}
	data := s.Snapshot()
	got := memory.Retained(func() any {
		padded := append(append([]byte("{"), pad...), data[1:]...)
		next, err := server.Restore(cfg, padded, verbs.Epoch)
		if err != nil || string(next.Snapshot()) != string(data) {
			t.Error(err)
		}
		return next
	})
	runtime.KeepAlive(pad) // otherwise its end would hide what is kept
	if got > huge/8 {
		t.Errorf("a restored session keeps %d bytes", got)
	}
}

// ID.Clone separates the id from its message, for every kind.
func TestCloneOfAnID(t *testing.T) {
	for _, id := range []string{`"an id"`, `"\u0061n id"`, `10000000000000000001`, `7`} {
		got := memory.Retained(func() any {
			m := jsonrpc.Decode([]byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping","params":{"a":"` + strings.Repeat("x", huge) + `"}}`))
			return m.ID.Clone()
		})
		if got > huge/16 {
			t.Errorf("%s keeps %d bytes", id, got)
		}
	}
}
