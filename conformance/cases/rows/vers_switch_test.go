package rows_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// The revision 2025-11-25, alone and together with the older ones.
//
// revisions: 2025-11-25..
func TestRevision20251125(t *testing.T) {
	const name = "2025-11-25"
	r, known := protocol.ParseRevision(name)
	t.Run("VERS-101", func(t *testing.T) {
		if !known || r != protocol.Revision20251125 || r.String() != name {
			t.Fatalf("%v, %v", r, known)
		}
		if v := offered(t, clientOf(t, r)); v != name {
			t.Errorf("offers %q", v)
		}
		if v := countered(t, serverOf(t, r), name); v != name {
			t.Errorf("answers %q", v)
		}
		for _, other := range []string{"2025-11-25 ", " 2025-11-25", "DRAFT-2025-v3", "2025-11-5", "2025-11-26", "2025-11-25-x", ""} {
			if _, ok := protocol.ParseRevision(other); ok {
				t.Errorf("%q is known", other)
			}
			c, _ := clientOf(t, r).Begin(r, "")
			c, out := c.Receive(c.InitializeResult(other, "{}"))
			closes(t, out, lifecycle.CauseUnsupportedRevision)
			in(t, c, lifecycle.Failed)
			s := verbs.NewServer(t, server.Config{Revisions: []protocol.Revision{r}, Policy: lifecycle.Policy{StrictVersion: true}})
			s, out = s.Receive(verbs.InitializeLine(other, "{}"))
			refused(t, out, -32602)
			in(t, s, lifecycle.Uninitialized)
		}
	})
	t.Run("VERS-102", func(t *testing.T) {
		if v := offered(t, clientOf(t)); v != name {
			t.Errorf("offers %q", v)
		}
		for _, older := range protocol.Revisions() {
			c, _ := switching(t, protocol.Client).Begin(r, "")
			c, _ = c.Finish(older, allOfServer)
			in(t, c, lifecycle.Ready)
			if got, want := clientTraits(c), traitsOf[older.String()].client; c.Revision() != older || got != want {
				t.Errorf("after %v it is of %v: want, got\n%+v\n%+v", older, c.Revision(), want, got)
			}
		}
	})
}

// switching is a side that offers everything, with an Info that only 2025-11-25 has whole.
func switching(t testing.TB, role protocol.Party, list ...protocol.Revision) verbs.Side {
	info := protocol.Implementation{Name: "n", Version: "1", Title: "t", Description: "d"}
	policy := lifecycle.Policy{AnswerUnreadable: true}
	if role == protocol.Server {
		items := server.Items{Tools: []protocol.Tool{{Name: "t", Title: "T", Annotations: &protocol.ToolAnnotations{}, Execution: &protocol.ToolExecution{}}}}
		return verbs.NewServer(t, server.Config{
			Info: info, Catalog: catalog(t, items), Serve: []string{"tools/call", "completion/complete"}, Revisions: list, Policy: policy,
		})
	}
	return verbs.NewClient(t, client.Config{
		Info: info, Revisions: list, Policy: policy, Serve: []string{"elicitation/create", "sampling/createMessage"},
		Declare: protocol.CapElicitationURL | protocol.CapElicitationForm | protocol.CapSamplingTools | protocol.CapSamplingContext,
	})
}

// common distinguishes the revisions in either role, by behavior.
type common struct {
	batches bool   // a batch is answered as one
	nobody  string // the answer to a message without id
	cancels string // the report of a cancellation without an id
}

// serverTrait distinguishes servers in different revisions.
type serverTrait struct {
	common
	answer  string // the answer to initialize
	tool    string // a tool in its list
	asks    string // why it cannot elicit
	directs string // why it cannot elicit by URL
	tells   string // why it cannot notify of its completion
	uses    string // why it cannot send a conversation with tool use
}

// clientTrait distinguishes clients in different revisions.
type clientTrait struct {
	common
	asked     string // the answer to an elicitation
	directed  string // the answer to one by URL
	completed string // the report of the completion of one
}

const (
	passed  = "passed on"
	ignored = "ignored JRPC-020"
)

var traitsOf = map[string]struct {
	server serverTrait
	client clientTrait
}{
	"2024-11-05": {
		serverTrait{
			common{false, nullID, "violation CANC-018"}, `"capabilities":{"tools":{}},"serverInfo":{"name":"n","version":"1"}}`, `{"name":"t","inputSchema":{"type":"object"}}`,
			"ErrRevision", "ErrRevision", "ErrRevision", "ErrRevision",
		},
		clientTrait{common{false, nullID, "violation CANC-018"}, "-32601", "-32601", ignored},
	},
	"2025-03-26": {
		serverTrait{
			common{true, nullID, "violation CANC-018"}, `"capabilities":{"completions":{},"tools":{}},"serverInfo":{"name":"n","version":"1"}}`, `{"name":"t","inputSchema":{"type":"object"},"annotations":{}}`,
			"ErrRevision", "ErrRevision", "ErrRevision", "ErrRevision",
		},
		clientTrait{common{true, nullID, "violation CANC-018"}, "-32601", "-32601", ignored},
	},
	"2025-06-18": {
		serverTrait{
			common{false, nullID, "violation CANC-018"}, `"capabilities":{"completions":{},"tools":{}},"serverInfo":{"name":"n","title":"t","version":"1"}}`,
			`{"name":"t","title":"T","inputSchema":{"type":"object"},"annotations":{}}`, "", "ErrRevision", "ErrRevision", "ErrRevision",
		},
		clientTrait{common{false, nullID, "violation CANC-018"}, passed, "-32602", ignored},
	},
	"2025-11-25": {
		serverTrait{
			common{false, noID, "ignored CANC-102"}, `"capabilities":{"completions":{},"tools":{}},"serverInfo":{"name":"n","title":"t","version":"1","description":"d"}}`,
			`{"name":"t","title":"T","inputSchema":{"type":"object"},"annotations":{},"execution":{}}`, "", "", "", "",
		},
		clientTrait{common{false, noID, "ignored CANC-102"}, passed, passed, "ignored ELIC-114"},
	},
}

const (
	nullID = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`
	noID   = `{"jsonrpc":"2.0","error":{"code":-32700,"message":"parse error"}}`
)

func commonTraits(x verbs.Side) common {
	_, batch := x.Receive(`[{"jsonrpc":"2.0","id":"b","method":"ping"}]`)
	_, unreadable := x.Receive("nonsense")
	_, cancelled := x.Receive(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"x"}}`)
	return common{len(verbs.Events(batch, lifecycle.Violation)) == 0, line(x.T, unreadable), kinds(cancelled)}
}

// kinds returns the kinds of the events with their rules.
func kinds(out lifecycle.Output) string {
	var list []string
	for _, ev := range out.Events {
		list = append(list, strings.TrimSpace(ev.Kind.String()+" "+ev.Rule))
	}
	return strings.Join(list, ", ")
}

// why names the kind of an error, "" for none.
func why(err error) string {
	for name, kind := range map[string]error{
		"ErrRevision": lifecycle.ErrRevision, "ErrParams": lifecycle.ErrParams, "ErrCapability": lifecycle.ErrCapability, "ErrPhase": lifecycle.ErrPhase,
	} {
		if errors.Is(err, kind) {
			return name
		}
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

var (
	byPage   = protocol.ElicitParams{Mode: protocol.ElicitURL, Message: "m", URL: "https://a.example", ElicitationID: "e"}
	withTool = protocol.CreateMessageParams{MaxTokens: 1, Tools: []protocol.Tool{{Name: "t"}}, Messages: []protocol.SamplingMessage{
		{Role: protocol.RoleAssistant, Content: []protocol.Content{protocol.ToolUseContent("1", "t", "")}},
		{Role: protocol.RoleUser, Content: []protocol.Content{protocol.ToolResultContent("1", *protocol.TextResult("x"))}},
	}}
)

// serverTraits tests a server that has answered initialize with out.
func serverTraits(x verbs.Side, out lifecycle.Output) serverTrait {
	x.T.Helper()
	tr := serverTrait{common: commonTraits(x)}
	_, tr.answer, _ = strings.Cut(string(out.Send[0].Message.Body), `",`)
	_, list := x.Receive(ask("l", protocol.RawRequest{Name: "tools/list"}))
	tr.tool = strings.TrimSuffix(strings.TrimPrefix(string(list.Send[0].Message.Body), `{"tools":[`), `]}`)
	x, _ = x.Receive(verbs.Initialized)
	_, _, err := x.Request(elicitation, lifecycle.RequestOptions{})
	tr.asks = why(err)
	next, _, err := x.Request(byPage, lifecycle.RequestOptions{})
	tr.directs = why(err)
	_, _, err = next.Notify(protocol.ElicitationCompleteParams{ElicitationID: "e"})
	tr.tells = why(err)
	_, _, err = x.Request(withTool, lifecycle.RequestOptions{})
	tr.uses = why(err)
	return tr
}

// clientTraits tests a ready client.
func clientTraits(x verbs.Side) clientTrait {
	x.T.Helper()
	tr := clientTrait{common: commonTraits(x)}
	answered := func(out lifecycle.Output) string {
		switch {
		case len(out.Send) == 1 && out.Send[0].Message.Err != nil:
			return jsonrpc.Int(out.Send[0].Message.Err.Code).String()
		case len(verbs.Events(out, lifecycle.RequestReceived)) == 1:
			return passed
		}
		return kinds(out)
	}
	_, out := x.Receive(ask("e", elicitation))
	tr.asked = answered(out)
	_, out = x.Receive(ask("u", protocol.RawRequest{Name: "elicitation/create", Body: jsonrpc.Raw(byPage.AppendJSON(nil))}))
	tr.directed = answered(out)
	_, out = x.Receive(`{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"e"}}`)
	tr.completed = answered(out)
	return tr
}

const newestClient = `{"sampling":{"tools":{},"context":{}},"elicitation":{"form":{},"url":{}}}`

// In the step that answers initialize a server switches to the revision of its answer,
// whatever was offered and whatever else it supports.
//
// revisions: 2025-11-25..
// rows: VERS-103
func TestProfileSwitches(t *testing.T) {
	for _, list := range lists {
		for _, offer := range protocol.Revisions() {
			negotiated := offer.String()
			if !supports(list, negotiated) {
				negotiated = newestOf(list)
			}
			s, out := switching(t, protocol.Server, list...).Begin(offer, newestClient)
			if got, want := serverTraits(s, out), traitsOf[negotiated].server; got != want || s.Revision().String() != negotiated {
				t.Errorf("%v offered to %v: want, got\n%+v\n%+v", offer, list, want, got)
			}
		}
	}
}

// Before the handshake the newest revision of the Config decides how a message without id is
// answered.
//
// revisions: all
// rows: JRPC-101
func TestAnswersBeforeTheHandshake(t *testing.T) {
	for _, list := range lists {
		want := nullID
		if newestOf(list) == "2025-11-25" {
			want = noID
		}
		x := switching(t, protocol.Server, list...)
		if got := commonTraits(x).nobody; got != want {
			t.Errorf("a server of %v answers %s", list, got)
		}
		c := verbs.NewClient(t, client.Config{Revisions: list, Policy: lifecycle.Policy{AnswerUnreadable: true}})
		c, _, err := c.Initialize()
		if err != nil {
			t.Fatal(err)
		}
		if got := commonTraits(c).nobody; got != want {
			t.Errorf("a client of %v answers %s", list, got)
		}
	}
}

// Newer features are refused by the sender in a session of an older revision,
// and unknown to the receiver.
//
// revisions: ..2025-06-18
// rows: VERS-104
func TestNewerFeatures(t *testing.T) {
	for _, r := range protocol.Revisions() {
		if r == protocol.Revision20251125 {
			continue
		}
		s, out := switching(t, protocol.Server, r).Begin(r, newestClient)
		if tr := serverTraits(s, out); tr.directs != "ErrRevision" || tr.tells != "ErrRevision" || tr.uses != "ErrRevision" {
			t.Errorf("a server at %v: %+v", r, tr)
		}
		c := switching(t, protocol.Client).Open(r, allOfServer)
		if tr := clientTraits(c); tr.directed == passed || tr.completed != ignored {
			t.Errorf("a client at %v: %+v", r, tr)
		}
		for _, x := range []verbs.Side{c, s} {
			_, out := x.Receive(ask("t", protocol.RawRequest{Name: "tasks/list"}))
			refused(t, out, -32601)
		}
	}
}
