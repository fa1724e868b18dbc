package protocol_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	. "github.com/sansmcp/mcp/protocol"
)

// What can be told of a row goes together, in each revision.
func TestRowsAreConsistent(t *testing.T) {
	for _, rev := range Revisions() {
		for _, row := range rev.Rows() {
			name := rev.String() + " " + row.Method
			if rev.Row(row.Method) != row || row.Revision() != rev || row.Custom() || !Known(row.Method) {
				t.Errorf("%s: another row goes by that name", name)
			}
			if rev.Row(strings.ToUpper(row.Method)) != nil {
				t.Errorf("%s: names are compared without case", name)
			}
			if row.Notification != strings.HasPrefix(row.Method, "notifications/") {
				t.Errorf("%s: notification %v", name, row.Notification)
			}
			list := strings.HasSuffix(row.Method, "/list") && row.Method != MethodRootsList
			if row.Paginated() != list || list && row.ItemRule == "" {
				t.Errorf("%s: paginated %v", name, row.Paginated())
			}
			params, result := row.Types()
			if MethodName(params) != row.Method || (result == nil) != row.Notification {
				t.Errorf("%s: the types are %T and %T", name, params, result)
			}
			switch sender := row.Sender(); row.Receiver {
			case Client:
				if sender != Server {
					t.Errorf("%s: %v sends it", name, sender)
				}
			case Server:
				if sender != Client {
					t.Errorf("%s: %v sends it", name, sender)
				}
			default:
				if sender != BothParties || row.Receiver != BothParties {
					t.Errorf("%s: %v sends and %v receives it", name, sender, row.Receiver)
				}
			}
			if row.Notification && (row.Cancellable || row.Declares != 0 || row.Names != nil || row.ResultRule != "") {
				t.Errorf("%s: a notification with what only requests have", name)
			}
			if row.Cancellable != (!row.Notification && row.Method != MethodInitialize) {
				t.Errorf("%s: cancellable %v", name, row.Cancellable)
			}
		}
	}
	if (Revision{}).Row(MethodPing) != nil || Revisions()[0].Row("") != nil {
		t.Error("no revision, or no name, and there is a row")
	}
}

// A method stays what it is through the revisions: only the gate of completion came later.
func TestRowsStay(t *testing.T) {
	newest := Revisions()[0]
	for _, rev := range Revisions() {
		for _, row := range rev.Rows() {
			now := newest.Row(row.Method)
			if now == nil {
				t.Errorf("%v: %s is gone", rev, row.Method)
				continue
			}
			gate := now.Gate
			if row.Method == MethodCompletionComplete && rev == Revision20241105 {
				gate = 0
			}
			if row.Notification != now.Notification || row.Receiver != now.Receiver || row.Gate != gate || row.Declares != now.Declares || row.Send != now.Send ||
				row.Serve != now.Serve || row.Cancellable != now.Cancellable || row.Wait != now.Wait || row.Lists != now.Lists || row.Names != now.Names ||
				row.Setting != now.Setting || row.ResultRule != now.ResultRule || row.ItemRule != now.ItemRule {
				t.Errorf("%v: %+v\nnow %+v", rev, row, now)
			}
		}
		// So does what is made of a result, on its way in and out.
		many := Raw(`{"completion":{"values":[` + strings.Repeat(`"v",`, 100) + `"v"]}}`)
		row := rev.Row(MethodCompletionComplete)
		cut, _ := LimitCompletion(many)
		in := row.Accept(Reply{Body: many})
		out, err := row.EncodeResult(many, "", Encoding{})
		if in.Body != cut || len(in.Found) != 1 || in.Err != nil || out.Body != cut || err != nil || cut == many {
			t.Errorf("%v: too many values: %v %v", rev, in, err)
		}
	}
}

// A set of methods goes by name, whatever the revision of the row; custom ones are in none.
func TestMethodSet(t *testing.T) {
	newest, oldest := Revisions()[0], Revisions()[len(Revisions())-1]
	var all Methods
	for i, row := range newest.Rows() {
		one := Methods(0).With(row)
		all = all.With(row)
		for j, other := range newest.Rows() {
			if one.Has(other) != (i == j) || all.Has(other) != (j <= i) {
				t.Errorf("with %s, %s is in it: %v, and of all so far: %v", row.Method, other.Method, one.Has(other), all.Has(other))
			}
			if old := oldest.Row(other.Method); old != nil && one.Has(old) != (i == j) {
				t.Errorf("with %s, %s of another revision is in it: %v", row.Method, other.Method, one.Has(old))
			}
		}
	}
	for _, row := range []*Row{newest.CustomRow(Server), newest.CustomRow(Client), newest.CustomNotificationRow()} {
		if all.Has(row) {
			t.Error("a custom method is in a set")
		}
	}
}

// The rows of methods outside the table: who receives them, and when; any object does for
// them, and of a result _meta is looked at.
func TestCustomRows(t *testing.T) {
	for _, rev := range Revisions() {
		server, client, note := rev.CustomRow(Server), rev.CustomRow(Client), rev.CustomNotificationRow()
		for row, want := range map[*Row]struct {
			receiver Party
			note     bool
			serve    []Phase
		}{
			server: {Server, false, []Phase{Initializing, Ready}}, client: {Client, false, []Phase{Ready}},
			note: {BothParties, true, []Phase{Initializing, Ready}},
		} {
			if !row.Custom() || row.Method != "" || row.Revision() != rev || row.Receiver != want.receiver || row.Notification != want.note || row.Cancellable == want.note {
				t.Errorf("%v: %+v", rev, row)
			}
			for p := range Phase(PhaseCount) {
				if row.Serve.Has(p) != slices.Contains(want.serve, p) || row.Send.Has(p) != (p == Ready) {
					t.Errorf("%v to %v: in phase %v it is served: %v, and sent: %v", rev, want.receiver, p, row.Serve.Has(p), row.Send.Has(p))
				}
			}
			for text, good := range map[string]bool{"": true, `{}`: true, `{"x":7}`: true, `{"_meta":{}}`: true, `{"_meta":7}`: false, `[]`: false, `7`: false} {
				if err := row.CheckParams(Raw(text), jsonrpc.Span{}); (err == nil) != good {
					t.Errorf("%v: params %q: %v", rev, text, err)
				}
				if row == note || text == "" {
					continue
				}
				if err := row.CheckResult(Raw(text), jsonrpc.Span{}); (err == nil) != good {
					t.Errorf("%v: result %q: %v", rev, text, err)
				}
			}
			info, _ := row.ReadParams(`{"name":"n","_meta":{"progressToken":1}}`, jsonrpc.Span{})
			if info != (ParamsInfo{Meta: `{"progressToken":1}`}) {
				t.Errorf("%v: of params is told %+v", rev, info)
			}
		}
	}
}

// A list and the rows that belong to it say the same.
func TestLists(t *testing.T) {
	items := map[*List]string{
		ToolList: `{"tools":[{"name":"k","inputSchema":{"type":"object"}}]}`, ResourceList: `{"resources":[{"uri":"a:k","name":"n"}]}`,
		TemplateList: `{"resourceTemplates":[{"uriTemplate":"a:{k}","name":"n"}]}`, PromptList: `{"prompts":[{"name":"k"}]}`,
	}
	codes := map[*List]int64{ToolList: -32602, ResourceList: -32002, TemplateList: -32002, PromptList: -32602}
	newest := Revisions()[0]
	seen := 0
	for _, row := range newest.Rows() {
		if ListOf(row.Method) != nil {
			seen++
		}
	}
	if seen != len(Lists()) || len(items) != seen || ListOf("x") != nil || ListOf(MethodRootsList) != nil || ListOf("") != nil {
		t.Errorf("%d methods list something, there are %d lists", seen, len(Lists()))
	}
	for _, l := range Lists() {
		row := newest.Row(l.Method)
		if ListOf(l.Method) != l || row.Lists != l || row.Gate != l.Cap || row.Declares != l.Cap {
			t.Errorf("%s: its row is %+v", l.Method, row)
		}
		of := l // what the method that uses an item names
		if l == TemplateList {
			of = ResourceList
		}
		if use := newest.Row(l.Use); use == nil || use.Names != of || use.Declares != l.Cap {
			t.Errorf("%s: %q uses it, whose row is %+v", l.Method, l.Use, use)
		}
		note := newest.Row(l.Changed)
		if note == nil || !note.Notification || note.Gate != l.Cap|l.Change || note.Lists == nil || note.Lists.Changed != l.Changed {
			t.Errorf("%s: %q announces it, whose row is %+v", l.Method, l.Changed, note)
		}
		raw, bad := items[l], `{"`+l.Member+`":[{"`+l.Key+`":7}]}`
		if err := row.CheckResult(Raw(raw), jsonrpc.Span{}); err != nil || !strings.Contains(raw, `"`+l.Key+`":`) || !strings.Contains(raw, `"`+l.Member+`":`) {
			t.Errorf("%s: %s: %v", l.Method, raw, err)
		}
		if row.CheckResult(Raw(bad), jsonrpc.Span{}) == nil {
			t.Errorf("%s: %s is accepted", l.Method, bad)
		}
		e := l.Unknown(`a "b"`)
		if e.Code != codes[l] || e.Message == "" || (e.Data != "") != (l.Cap == CapResources) || e.Data != "" && e.Data != `{"uri":"a \"b\""}` {
			t.Errorf("%s: of an unknown item it says %+v", l.Method, e)
		}
	}
}
