package gating_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Two strings with one place in the tables, under a HashKey of zeros. Finding them took about five
// billion attempts; with a secret key it is not feasible.
const first, second = "60294514c1d5cf3e", "6abcd192d20d60cb"

func sides(t *testing.T) []verbs.Side {
	t.Helper()
	if a, b := engine.Hash([2]uint64{}, 's', first), engine.Hash([2]uint64{}, 's', second); a|1<<63 != b|1<<63 {
		t.Fatalf("the hash is another one: %x and %x", a, b)
	}
	return []verbs.Side{
		verbs.NewServer(t, server.Config{Serve: []string{"x/ask"}}).Open(protocol.Revision20250618, `{}`),
		verbs.NewClient(t, client.Config{Serve: []string{"x/ask"}}).Open(protocol.Revision20250618, `{}`),
	}
}

// Of two requests with indistinguishable ids the second is refused, and no message
// about the second affects the first.
func TestIDsOfOnePlace(t *testing.T) {
	for _, x := range sides(t) {
		ask := `{"jsonrpc":"2.0","id":%q,"method":"x/ask"}`
		x, out := x.Receive(fmt.Sprintf(ask, first))
		call := out.Opened
		y, out := x.Receive(fmt.Sprintf(ask, second))
		want := []string{`{"jsonrpc":"2.0","id":"` + second + `","error":{"code":-32603,"message":"the id cannot be told from another"}}`}
		if diff := cmp.Diff(want, verbs.Lines(out)); diff != "" || len(out.Events) != 0 || out.Opened.IsZero() || out.Opened.Seq() == call.Seq() {
			t.Errorf("%v: %s %s, opened %v after %v", x.Role, diff, verbs.Kinds(out), out.Opened, call)
		}
		if y.Status().Inbound != 1 {
			t.Errorf("%v: %d calls are open", x.Role, y.Status().Inbound)
		}
		if _, _, err := y.Respond(out.Opened, protocol.Raw(`{}`)); !errors.Is(err, lifecycle.ErrGone) {
			t.Errorf("%v: the refused one is open: %v", x.Role, err)
		}
		y, out = y.Receive(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":7}`, second))
		if len(out.Send) != 1 || out.Send[0].Message.Err == nil || out.Send[0].Message.Err.Code != -32600 {
			t.Errorf("%v: a bad request of the second id: %v", x.Role, verbs.Lines(out))
		}
		y, out = y.Receive(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%q}}`, second))
		if verbs.Kinds(out) != "ignored" || y.Status().Inbound != 1 {
			t.Errorf("%v: cancelling the second: %s", x.Role, verbs.Kinds(out))
		}
		_, out, err := y.Respond(call, protocol.Raw(`{}`))
		if diff := cmp.Diff([]string{`{"jsonrpc":"2.0","id":"` + first + `","result":{}}`}, verbs.Lines(out)); err != nil || diff != "" {
			t.Errorf("%v: the first is not answered: %v %s", x.Role, err, diff)
		}
	}
}

// The same holds for progress tokens chosen by the application.
func TestTokensOfOnePlace(t *testing.T) {
	for _, x := range sides(t) {
		ask := func(token string) protocol.Params {
			return protocol.RawRequest{Name: "x/ask", Body: protocol.Raw(`{"_meta":{"progressToken":"` + token + `"}}`)}
		}
		x, sent, err := x.Request(ask(first), lifecycle.RequestOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, token := range []string{first, second} {
			if _, _, err := x.Request(ask(token), lifecycle.RequestOptions{}); !errors.Is(err, lifecycle.ErrParams) {
				t.Errorf("%v: token %s is used beside the first: %v", x.Role, token, err)
			}
		}
		for token, want := range map[string]string{first: "progress received", second: "ignored"} {
			_, out := x.Receive(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"` + token + `","progress":1}}`)
			if verbs.Kinds(out) != want || out.Events[0].Req != sent.Req && want != "ignored" {
				t.Errorf("%v: progress for %s: %s", x.Role, token, verbs.Kinds(out))
			}
		}
		x, _ = x.SendFailed(sent.Req, nil)
		if _, _, err := x.Request(ask(second), lifecycle.RequestOptions{}); err != nil {
			t.Errorf("%v: the place is free again, but %v", x.Role, err)
		}
	}
}

// A token of the application ends with its request, and the others stay.
func TestTokensOfTheApplication(t *testing.T) {
	for _, x := range sides(t) {
		var reqs []lifecycle.Req
		for _, token := range []string{`"a"`, "7", `"b"`} {
			var out lifecycle.Output
			var err error
			x, out, err = x.Request(protocol.RawRequest{Name: "x/ask", Body: protocol.Raw(`{"_meta":{"progressToken":` + token + `}}`)}, lifecycle.RequestOptions{})
			if err != nil {
				t.Fatal(err)
			}
			reqs = append(reqs, out.Req)
		}
		expect := func(want ...string) {
			t.Helper()
			for i, token := range []string{`"a"`, "7", `"b"`} {
				_, out := x.Receive(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + token + `,"progress":1}}`)
				if verbs.Kinds(out) != want[i] {
					t.Errorf("%v: progress for %s is %s, want %s", x.Role, token, verbs.Kinds(out), want[i])
				}
			}
		}
		const got, not = "progress received", "ignored"
		expect(got, got, got)
		x, _ = x.SendFailed(reqs[1], nil)
		expect(got, not, got)
		x, _, _ = x.Cancel(reqs[0], "")
		expect(not, not, got)
		x, _ = x.Receive(x.Result(`{}`))
		expect(not, not, not)
	}
}

// Two questions with one place are not asked: a result with them is invalid, and nothing of it is kept.
func TestQuestionsOfOnePlace(t *testing.T) {
	const first, second = "5dce1f38aa27f260", "0f1d975f9ac5dd53" // of the first request, whose number is before each
	if a, b := engine.Hash([2]uint64{}, 's', "1 "+first), engine.Hash([2]uint64{}, 's', "1 "+second); a|1<<63 != b|1<<63 {
		t.Fatalf("the hash is another one: %x and %x", a, b)
	}
	ask := func(key string) string {
		return `"` + key + `":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}`
	}
	for questions, want := range map[string]int{
		ask(first):                                          1,
		ask(first) + "," + ask("other"):                     2,
		ask(first) + "," + ask(second):                      0,
		ask("other") + "," + ask(second) + "," + ask(first): 0,
	} {
		s, err := client.New(client.Config{
			Info: protocol.Implementation{Name: "c", Version: "1"}, Revisions: protocol.AllRevisions(), Serve: []string{protocol.MethodElicitationCreate},
		}, time.Unix(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		s, _, err = s.Connect(time.Unix(1, 0), `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)
		if err != nil {
			t.Fatal(err)
		}
		if s, _, err = s.Request(time.Unix(1, 0), protocol.CallToolParams{Name: "t"}, client.RequestOptions{}); err != nil {
			t.Fatal(err)
		}
		s, o := s.Receive(time.Unix(1, 0), jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{`+questions+`}}}`))
		asked := 0
		for _, ev := range o.Events {
			if ev.Kind == lifecycle.RequestReceived {
				asked++
			}
		}
		if s.Status().Inbound != want || asked != want || (s.Status().Outbound == 1) != (want > 0) || s.Check() != nil {
			t.Errorf("%s: %d questions, %+v, %v", questions, asked, s.Status(), s.Check())
		}
	}
}
