package house

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// The forms of docs/adr/0009-one-fold.md. S is the State of a role, M the machine.
type (
	folder[M, S any] interface {
		Handle(s S, out lifecycle.Output) (M, S, lifecycle.Output)
	}
	fold[S any]         = func(s S, out lifecycle.Output) (S, lifecycle.Output)
	verb[M, S, Arg any] = func(m M, s S, now time.Time, arg Arg) (M, S, lifecycle.Output, error)
	reader[M, T any]    = func(m M, ev lifecycle.Event) (M, T, bool, error)
	watcher[M, T any]   = func(m M, ev lifecycle.Event) (M, T)
	keeper[M, S, E any] = func(m M, s S, now time.Time, out lifecycle.Output) (M, S, E)
	timed               interface{ NextDeadline() (time.Time, bool) }
)

// folds is what a generic driver requires of a machine.
func folds[M folder[M, S], S any](M, S) bool { return true }

// All machines. Add a new one here; the rule below finds it if it
// has another form.
var (
	_ = folds(server.Roots{}, server.State{})

	_ fold[server.State] = new(server.Handlers).Handle
	_ fold[server.State] = server.RejectUnhandled

	_ verb[server.Roots, server.State, server.RequestOptions] = server.Roots.Want
	_ verb[client.Pager, client.State, client.RequestOptions] = client.Pager.Next

	_ func(server.State, time.Time, jsonrpc.Message) (server.State, server.Output) = new(server.Handlers).Receive

	_ reader[client.Pager, []jsonrpc.Raw]   = client.Pager.Page
	_ watcher[client.Retries, []client.Req] = client.Retries.Take

	_ keeper[streams.Streams, server.State, streams.Effects] = streams.Streams.Handle
	_ keeper[relay.Relay, server.State, relay.Effects]       = relay.Relay.Handle

	_, _, _, _ timed = server.State{}, client.State{}, streams.Streams{}, relay.Relay{}
)

// otherFolds finds exported functions that map one State, or one value of a machine, to the
// next, in another form than that of ADR 0009.
func otherFolds(t *tree) (found []string) {
	for _, s := range t.files {
		if s.test() || s.nested || !s.below("server", "client") {
			continue
		}
		for _, d := range s.ast.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() {
				continue
			}
			g := formOf(f)
			if g.receiver != "" && !ast.IsExported(g.receiver) { // it implements another package's interface
				continue
			}
			if wrong := g.wrong(); wrong != "" {
				found = append(found, fmt.Sprintf("%v: %s", t.fset.Position(f.Pos()), wrong))
			}
		}
	}
	return found
}

// form is the arguments and results of a function, types by name.
type form struct {
	name     string
	receiver string // "" for a function
	pointer  bool   // the receiver is one
	in, out  []string
}

func formOf(f *ast.FuncDecl) form {
	g := form{name: f.Name.Name, in: typesOf(f.Type.Params), out: typesOf(f.Type.Results)}
	if f.Recv != nil {
		_, g.pointer = f.Recv.List[0].Type.(*ast.StarExpr)
		g.receiver = receiver(f.Recv.List[0].Type)
	}
	return g
}

// typesOf returns the types of a list, one for each name. State, Output and Event are the
// same in every package.
func typesOf(list *ast.FieldList) (names []string) {
	if list == nil {
		return nil
	}
	for _, f := range list.List {
		name := types.ExprString(f.Type)
		if at := strings.LastIndexByte(name, '.'); at >= 0 && slices.Contains([]string{"State", "Output"}, name[at+1:]) {
			name = name[at+1:]
		}
		for range max(len(f.Names), 1) {
			names = append(names, name)
		}
	}
	return names
}

// wrong says what is wrong with a function, or "".
func (f form) wrong() string {
	returns := slices.Contains(f.out, "State")
	rest := f.out
	if n := len(rest); n > 0 && rest[n-1] == "error" {
		rest = rest[:n-1]
	}
	switch {
	case f.receiver == "State":
		if now := slices.Index(f.in, "time.Time"); returns && now > 0 {
			return "the time comes first"
		}
		if returns && !slices.Equal(rest, []string{"State", "Output"}) && !slices.Equal(rest, []string{"State"}) {
			return "a verb of a State returns State, Output, error and no machine"
		}
		return ""
	case f.receiver != "" && !f.pointer && slices.Contains(f.out, f.receiver) && f.out[0] != f.receiver:
		return "the next " + f.receiver + " is returned first"
	case slices.Contains(rest, "error"):
		return "an error is returned last"
	case !returns || !slices.Contains(f.in, "State"):
		return "" // it makes a State, or only looks at one
	}
	want := []string{"State", "Output"}
	if f.receiver != "" && !f.pointer {
		want = []string{f.receiver, "State", "Output"}
	}
	if n := len(rest); slices.Contains(rest, "Effects") {
		// A machine that removes the messages returns the Output in its Effects.
		switch {
		case n < 3 || rest[0] != f.receiver || rest[1] != "State" || rest[n-1] != "Effects":
			return "it returns " + f.receiver + ", State, what else, Effects"
		case len(f.in) < 2 || f.in[0] != "State" || f.in[1] != "time.Time":
			return "what keeps messages takes State, time.Time, the rest"
		}
		return ""
	}
	takes := slices.Contains(f.in, "Output")
	switch {
	case !slices.Equal(rest, want):
		return "it returns " + strings.Join(want, ", ")
	case f.name == "Step" && takes:
		if !slices.Equal(f.in, []string{"State", "time.Time", "Output"}) || len(rest) < len(f.out) {
			return "a step takes State, time.Time, Output, and does not fail"
		}
	case (f.name == "Handle" || takes) && (!slices.Equal(f.in, []string{"State", "Output"}) || len(rest) < len(f.out)):
		return "a fold takes State, Output, and does not fail"
	case !takes && (len(f.in) < 2 || f.in[0] != "State" || f.in[1] != "time.Time"):
		return "a verb takes State, time.Time, the rest"
	}
	return ""
}

// TestOtherFolds shows that the rule finds each other form, and ignores functions with the
// right form or another purpose.
func TestOtherFolds(t *testing.T) {
	cases := []struct{ decl, want string }{
		{"func (R) Handle(s State, out Output) (R, State, Output)", ""},
		{"func (R) Handle(s State, out Output) (State, R, Output)", "the next R is returned first"},
		{"func (R) Handle(s State, out Output) (State, Output)", "it returns R, State, Output"},
		{"func (R) Handle(out Output, s State) (R, State, Output)", "a fold takes State, Output, and does not fail"},
		{"func (R) Handle(s State, now time.Time, out Output) (R, State, Output)", "a fold takes State, Output, and does not fail"},
		{"func (R) Handle(s State, out Output) (R, State, Output, error)", "a fold takes State, Output, and does not fail"},
		{"func (R) Handle(s State, now time.Time) (R, State, Output)", "a fold takes State, Output, and does not fail"},
		{"func (*H) Handle(s server.State, out lifecycle.Output) (server.State, lifecycle.Output)", ""},
		{"func (*H) Handle(s State, out Output) (H, State, Output)", "it returns State, Output"},
		{"func Reject(s State, out Output) (State, Output)", ""},
		{"func Reject(out Output, s State) (State, Output)", "a fold takes State, Output, and does not fail"},
		{"func (R) Step(s State, now time.Time, out Output) (R, State, Output)", ""},
		{"func (R) Step(s State, out Output) (R, State, Output)", "a step takes State, time.Time, Output, and does not fail"},
		{"func (R) Step(s State, now time.Time, out Output) (R, State, Output, error)", "a step takes State, time.Time, Output, and does not fail"},
		{"func (R) Step(s State, now time.Time, out Output) (State, R, Output)", "the next R is returned first"},
		{"func (R) Want(s State, now time.Time, opt int) (R, State, Output, error)", ""},
		{"func (R) Want(s State, now time.Time) (R, State, Output)", ""},
		{"func (R) Want(s State, opt int) (R, State, Output, error)", "a verb takes State, time.Time, the rest"},
		{"func (R) Want(now time.Time, s State) (R, State, Output, error)", "a verb takes State, time.Time, the rest"},
		{"func (R) Want(s State) (R, State, Output, error)", "a verb takes State, time.Time, the rest"},
		{"func (R) Want(s State, now time.Time) (R, State, error, Output)", "an error is returned last"},
		{"func (R) Handle(s State, now time.Time, out Output) (R, State, Effects)", ""},
		{"func (R) Listen(s State, now time.Time) (R, State, Conn, int, Effects, error)", ""},
		{"func (R) Listen(now time.Time, s State) (R, State, Conn, Effects, error)", "what keeps messages takes State, time.Time, the rest"},
		{"func (R) Listen(s State, now time.Time) (R, State, Effects, Conn, error)", "it returns R, State, what else, Effects"},
		{"func (R) Listen(s State, now time.Time) (R, Conn, State, Effects)", "it returns R, State, what else, Effects"},
		{"func (R) Page(ev Event) (next R, items int, mine bool, err error)", ""},
		{"func (R) Page(ev Event) (items int, next R, mine bool, err error)", "the next R is returned first"},
		{"func (s State) Do(now time.Time, more, n int) (State, Output, error)", ""},
		{"func (s State) Do(more int, now time.Time) (State, Output, error)", "the time comes first"},
		{"func (s State) Do(now time.Time, r R) (State, R, Output, error)", "a verb of a State returns State, Output, error and no machine"},
		{"func (s State) Reset(now time.Time) (State, error)", ""},
		{"func (s State) Look(r R, now time.Time) (R, error)", ""},
		{"func New(c Config, now time.Time) (State, error)", ""},
		{"func Look(s State) int", ""},
		{"func (R) want(opt int, s State) (State, R)", ""},
	}
	src, want := "package streams\n", []string(nil)
	for i, c := range cases {
		src += c.decl + "\n"
		if c.want != "" {
			want = append(want, fmt.Sprintf("server/streams/streams.go:%d:1: %s", i+2, c.want))
		}
	}
	files, err := load(fstest.MapFS{"server/streams/streams.go": {Data: []byte(src)}, "docs/examples/x.go": {Data: []byte(strings.Replace(src, "streams", "x", 1))}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, otherFolds(files)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
