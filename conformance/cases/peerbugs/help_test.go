package peerbugs_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

var (
	spoken = protocol.Revision20250618 // unless a test goes over all, see inAll
	roles  = []protocol.Party{protocol.Server, protocol.Client}
	live   = []lifecycle.Phase{lifecycle.Uninitialized, lifecycle.Initializing, lifecycle.Ready, lifecycle.ShuttingDown}
)

const (
	allOfServer = `{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},"completions":{},"logging":{}}`
	allOfClient = `{"roots":{"listChanged":true},"sampling":{},"elicitation":{}}`
	ping        = `{"jsonrpc":"2.0","id":"probe","method":"ping"}`
	pong        = `{"jsonrpc":"2.0","id":"probe","result":{}}`
)

// request is a request of the method table.
type request struct {
	name   string
	params string // valid ones
	result string // a valid one
	bare   bool   // params may be absent
	app    bool   // the application answers
}

// requestsTo are the requests that each role receives, except ping and initialize,
// notifications all notifications, and needs the capability, as JSON, that a
// request needs.
var requestsTo, notifications, needs = func() (to map[protocol.Party][]request, notes []string, needs map[string]string) {
	to, needs = map[protocol.Party][]request{}, map[string]string{}
	list, _ := verbs.Methods(spoken)
	for _, m := range list {
		switch {
		case !m.Request:
			notes = append(notes, m.Name)
		case m.Name != "ping" && m.Name != "initialize":
			to[m.Sender.Peer()] = append(to[m.Sender.Peer()], request{m.Name, m.Params, m.Result, m.Bare, m.App})
			needs[m.Name] = m.Needs
		}
	}
	return to, notes, needs
}()

// requestTo is a request to the role that its application answers.
func requestTo(role protocol.Party) request {
	return requestsTo[role][slices.IndexFunc(requestsTo[role], func(r request) bool { return r.app })]
}

func requestNamed(name string) request {
	list := slices.Concat(requestsTo[protocol.Server], requestsTo[protocol.Client])
	return list[slices.IndexFunc(list, func(r request) bool { return r.name == name })]
}

const goodInitialize = `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`

// inAll runs f in each revision, as the spoken one.
func inAll(f func()) {
	usual := spoken
	defer func() { spoken = usual }()
	for _, spoken = range protocol.Revisions() {
		f()
	}
}

// served are the methods of the spoken revision that the application answers.
func served(role protocol.Party) (names []string) {
	list, _ := verbs.Methods(spoken)
	for _, m := range list {
		if m.App && m.Sender == role.Peer() {
			names = append(names, m.Name)
		}
	}
	return names
}

// full is a side that offers everything.
func full(t testing.TB, role protocol.Party, policy lifecycle.Policy) verbs.Side {
	t.Helper()
	if role == protocol.Client {
		return verbs.NewClient(t, client.Config{
			Revisions: []protocol.Revision{spoken}, Serve: served(protocol.Client), Roots: []protocol.Root{}, RootsListChanged: true, Policy: policy,
		})
	}
	catalog, err := server.NewCatalog(server.Items{
		Tools:             []protocol.Tool{{Name: "t", InputSchema: `{"type":"object"}`}},
		Resources:         []protocol.Resource{{URI: "a:b", Name: "b"}},
		ResourceTemplates: []protocol.ResourceTemplate{{URITemplate: "a:{x}", Name: "x"}},
		Prompts:           []protocol.Prompt{{Name: "p"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return verbs.NewServer(t, server.Config{
		Revisions: []protocol.Revision{spoken}, Catalog: catalog, Serve: served(protocol.Server),
		ListChanged: protocol.CapToolsListChanged | protocol.CapResourcesListChanged | protocol.CapPromptsListChanged,
		Subscribe:   true, Logging: true, ChangeDelay: -1, Policy: policy,
	})
}

// at brings x into a phase with a peer that offers everything. While shutting down, a request
// of the peer with the id "held" keeps the session open.
func at(x verbs.Side, phase lifecycle.Phase) verbs.Side {
	x.T.Helper()
	caps := allOfClient
	if x.Role == protocol.Client {
		caps = allOfServer
	}
	switch phase {
	case lifecycle.Uninitialized:
	case lifecycle.Initializing:
		x, _ = x.Begin(spoken, caps)
	default:
		x = x.Open(spoken, caps)
	}
	switch phase {
	case lifecycle.ShuttingDown:
		r := requestTo(x.Role)
		x, _ = x.Receive(line("held", r.name, r.params))
		x, _ = x.Shutdown(1 << 40)
	case lifecycle.Disconnected:
		x, _ = x.Disconnected(nil)
	case lifecycle.Failed:
		x, _ = x.Abort(nil)
	}
	if x.Phase() != phase {
		x.T.Fatalf("in %v, want %v", x.Phase(), phase)
	}
	return x
}

// inEach runs f for both roles in every live phase.
func inEach(t *testing.T, f func(t *testing.T, x verbs.Side)) {
	for _, role := range roles {
		for _, phase := range live {
			t.Run(role.String()+"/"+phase.String(), func(t *testing.T) { f(t, at(full(t, role, lifecycle.Policy{}), phase)) })
		}
	}
}

// line is a request of the peer; params "" omits the member.
func line(id, method, params string) string {
	if params != "" {
		params = `,"params":` + params
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":%q%s}`, id, method, params)
}

// ask makes a request of ours.
func ask(x verbs.Side, r request, opt lifecycle.RequestOptions) (verbs.Side, lifecycle.Req) {
	x.T.Helper()
	x, out, err := x.Request(protocol.RawRequest{Name: r.name, Body: jsonrpc.Raw(r.params)}, opt)
	if err != nil {
		x.T.Fatal(r.name, err)
	}
	return x, out.Req
}

// outcome is the outcome of a request: the code of its refusal, "result",
// "dispatched", or "nothing".
func outcome(out lifecycle.Output) string {
	received := verbs.Events(out, lifecycle.RequestReceived)
	switch {
	case len(out.Send) == 0 && len(received) == 0:
		return "nothing"
	case len(out.Send) == 0 && len(received) == 1:
		return "dispatched"
	case len(out.Send) == 1 && len(received) == 0 && out.Send[0].Message.Kind == jsonrpc.KindResult:
		return "result"
	case len(out.Send) == 1 && len(received) == 0 && out.Send[0].Message.Err != nil:
		return fmt.Sprint(out.Send[0].Message.Err.Code)
	}
	return fmt.Sprintf("sent %q, events %s", verbs.Lines(out), verbs.Kinds(out))
}

// reports are the kinds of the events, each with its rule if it has one.
func reports(out lifecycle.Output) string {
	list := []string{}
	for _, ev := range out.Events {
		list = append(list, strings.TrimSpace(ev.Kind.String()+" "+ev.Rule))
	}
	return strings.Join(list, ", ")
}

// alive checks that a ping is answered at once.
func alive(t testing.TB, x verbs.Side) {
	t.Helper()
	if _, out := x.Receive(ping); strings.Join(verbs.Lines(out), "\n") != pong || len(out.Events) != 0 {
		t.Errorf("a ping draws %q, %s", verbs.Lines(out), reports(out))
	}
}

// silent checks that nothing is sent, and that there is one event with these kinds and rules.
func silent(t testing.TB, what string, out lifecycle.Output, want string) {
	t.Helper()
	if len(out.Send) != 0 || out.Close != nil || !out.Opened.IsZero() || reports(out) != want {
		t.Errorf("%s: sent %q, close %v, events %s, want only %s", what, verbs.Lines(out), out.Close, reports(out), want)
	}
}

// nulls returns the paths of the nulls in a message that are not in user data.
func nulls(text string) (paths []string) {
	var v any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber() // of any size
	if err := d.Decode(&v); err != nil {
		return []string{err.Error()}
	}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case nil:
			paths = append(paths, path)
		case []any:
			for i, e := range v {
				walk(fmt.Sprintf("%s[%d]", path, i), e)
			}
		case map[string]any:
			for k, e := range v {
				switch k {
				case "arguments", "structuredContent", "_meta", "metadata", "data", "experimental", "inputSchema", "outputSchema":
				default:
					walk(path+"."+k, e)
				}
			}
		}
	}
	walk("", v)
	return paths
}
