package exec_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client/exec"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// busyConfig and busy are an Executor that has something of everything.
var busyConfig = exec.Config{
	Running: 4, Policy: exec.Policy{Attempt: 5 * sec, Total: 60 * sec, Retry: thrice.Retry}, Seed: 9,
	Lanes: []exec.Lane{{Name: "metered", Rate: exec.Rate{Tokens: 1, Per: 7 * sec}}, {Name: "one", Running: 1}},
}

func busy(t testing.TB) exec.Executor {
	x, err := exec.New(busyConfig, start)
	if err != nil {
		t.Fatal(err)
	}
	var out exec.Output
	for i := range 3 {
		x, _, err = x.Call(start, exec.Request{Tool: "a", Lane: []string{"metered", "one", "metered"}[i], Arguments: `{"q":1}`, Hints: exec.Hints{Idempotent: true}})
		if err != nil {
			t.Fatal(err)
		}
	}
	x, _, err = x.Call(start, exec.Request{Tool: "a", Lane: "one", Hints: exec.Hints{ReadOnly: true}})
	if err != nil {
		t.Fatal(err)
	}
	list := []exec.Request{
		{Tool: "ok"}, {Tool: "waits", Hints: local}, {Tool: "runs"}, {Tool: "failed", Fault: toolerror.Unknown("failed", []string{"x"})},
		{Tool: "bad", Arguments: "[]"}, {Tool: "held"},
	}
	p := exec.Policy{Retry: thrice.Retry, Unsafe: true, Kinds: exec.KindsOf(toolerror.Timeout, toolerror.RateLimited)}
	p.Retry.Jitter, p.Retry.Factor, p.Retry.Cap = 0.25, 1.5, 20*sec
	x, out, err = x.Start(start, list, exec.BatchOptions{Strategy: limit(2), Policy: &p})
	if err != nil {
		t.Fatal(err)
	}
	x, _ = x.Resolve(start.Add(sec), out.Start[0].Attempt, exec.Outcome{Result: &protocol.CallToolResult{
		Content: []protocol.Content{protocol.TextContent("x"), protocol.ImageContent("image/png", []byte{1})}, StructuredContent: `{"a":[1,2]}`, Meta: `{"m":1}`,
	}})
	// Its failure is of the kind that has everything.
	x, _ = x.Resolve(start.Add(sec), out.Start[1].Attempt, exec.Outcome{Err: &toolerror.Error{
		Kind: toolerror.RateLimited, Text: "slow \u00e4 down", After: 1500*1000*1000 + 1, Code: -7, Data: `{"d":1}`, Remote: true, Cause: errors.New("gone"),
	}})
	// A second batch is stopping, with one call that still runs.
	x, out, err = x.Start(start.Add(sec), []exec.Request{{Tool: "lasts"}, {Tool: "b"}}, exec.BatchOptions{FailFast: true})
	if err != nil {
		t.Fatal(err)
	}
	x, _, err = x.CancelBatch(start.Add(sec), out.Batch, "enough")
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Check(); err != nil {
		t.Fatal(err)
	}
	return x
}

// TestSnapshot: a snapshot is the same again after Restore, and goes on in the same way.
func TestSnapshot(t *testing.T) {
	x := busy(t)
	data := x.Snapshot()
	golden(t, "snapshot.json", string(data)+"\n")
	later := start.AddDate(1, 2, 3)
	y, err := exec.Restore(busyConfig, data, later)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(y.Snapshot()); got != string(data) {
		t.Errorf("restored:\n%s\nwas\n%s", got, data)
	}
	if err := y.Check(); err != nil {
		t.Error(err)
	}
	if a, b := slices.Collect(x.Attempts()), slices.Collect(y.Attempts()); !slices.Equal(a, b) || len(a) == 0 {
		t.Errorf("attempts %v, restored %v", a, b)
	}
	for a := range y.Attempts() {
		if a.Number != 1 {
			t.Error(a)
		}
		break
	}
	// All of it ends.
	for range 100 {
		due, ok := y.NextDeadline()
		if !ok {
			break
		}
		y, _ = y.Tick(due)
	}
	for a := range y.Attempts() { // those without a timeout
		y, _ = y.Resolve(later, a, good())
	}
	for range 100 {
		for a := range y.Attempts() {
			y, _ = y.Resolve(later, a, good())
		}
		if due, ok := y.NextDeadline(); ok {
			y, _ = y.Tick(due)
		}
	}
	if st := y.Status(); st.Running+st.Waiting+st.Batches > 0 {
		t.Errorf("left over: %+v\n%s", st, y.Snapshot())
	}
}

// TestRestoreWithAnotherConfig: what runs may end where less is allowed now, and where more is
// allowed the next Tick is due at once.
func TestRestoreWithAnotherConfig(t *testing.T) {
	x := busy(t)
	less := busyConfig
	less.Running, less.Lanes = 1, []exec.Lane{{Name: "metered", Rate: exec.Rate{Tokens: 1, Per: sec}}}
	y, err := exec.Restore(less, x.Snapshot(), start)
	if err != nil {
		t.Fatal(err)
	}
	running := y.Status().Running
	for a := range y.Attempts() {
		var out exec.Output
		y, out = y.Resolve(start, a, good())
		if running--; running >= 1 && len(out.Start) > 0 {
			t.Fatalf("something starts while %d attempts run", running)
		}
		if err := y.Check(); err != nil {
			t.Fatal(err)
		}
	}
	more := busyConfig
	more.Running, more.Lanes = 100, nil
	y, err = exec.Restore(more, x.Snapshot(), start)
	if err != nil {
		t.Fatal(err)
	}
	due, ok := y.NextDeadline()
	if !ok || !due.Equal(start) {
		t.Errorf("the next deadline is %v %v", due, ok)
	}
	y, out := y.Tick(due)
	if due, ok = y.NextDeadline(); len(out.Start) == 0 || !ok || !due.After(start) {
		t.Errorf("%s, then %v %v", written(out), due, ok)
	}
	if err := y.Check(); err != nil {
		t.Error(err)
	}
	if _, err := exec.Restore(exec.Config{Queue: -1}, x.Snapshot(), start); !errors.Is(err, lifecycle.ErrConfig) {
		t.Error(err)
	}
}

// TestDamagedSnapshots: whatever a snapshot holds, Restore returns an error or an Executor whose
// invariants hold, now and through everything that can happen to it.
func TestDamagedSnapshots(t *testing.T) {
	text := string(busy(t).Snapshot())
	try := func(data string) {
		x, err := exec.Restore(busyConfig, []byte(data), start)
		if err != nil {
			if !errors.Is(err, lifecycle.ErrSnapshot) {
				t.Fatalf("%v for %s", err, data)
			}
			return
		}
		for i := 0; ; i++ {
			if err := x.Check(); err != nil {
				t.Fatalf("%v after %d steps for\n%s", err, i, data)
			}
			if i == 12 {
				break
			}
			x, _ = x.Tick(start.Add(sec * (1 << i)))
			for a := range x.Attempts() {
				x, _ = x.Resolve(start, a, good())
				break
			}
		}
		x, _ = x.CancelAll(start, "")
		if err := x.Check(); err != nil {
			t.Fatalf("%v after CancelAll for\n%s", err, data)
		}
		if st := x.Status(); st.Running+st.Waiting+st.Batches > 0 {
			t.Fatalf("left over: %+v for\n%s", st, data)
		}
	}
	for _, data := range []string{
		"", "null", "[]", "{}", `{"exec":2}`, `{"exec":1}`, `{"exec":1,"calls":{}}`, `{"exec":1,"calls":[1]}`, `{"exec":1,"lanes":[{"name":1}]}`,
		`{"exec":1,"call":9223372036854775807}`, `{"exec":1,"lanes":[{"name":"x","credit":9}]}`,
		`{"exec":1,"call":1,"batch":1,"batches":[{"id":1,"first":1,"size":1000000000,"width":1}]}`,
		`{"exec":1,"call":1,"batch":1,"batches":[{"id":1,"first":1,"size":1,"width":1,"results":[{"tool":"a","result":{}}]}]}`,
		`{"exec":1,"call":5,"batch":1,"batches":[{"id":1,"first":1,"size":18446744073709551615,"width":1}]}`,
	} {
		try(data)
	}
	numbers := []string{"0", "1", "2", "3", "4", "5", "6", "7", "255", "256", "-1", "-5000000000", "2147483648", "9223372036854775807", "18446744073709551615", "-9223372036854775808", "1e400", "0.5", `"x"`, "true", "null", "{}", "[]"}
	// Each number, string and flag is replaced by others, and each member by its neighbour.
	for _, span := range scalars(text) {
		for _, n := range numbers {
			try(text[:span[0]] + n + text[span[1]:])
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	rounds := 3000
	if testing.Short() || race {
		rounds = 300
	}
	spans := scalars(text)
	for range rounds {
		data := text
		for range 1 + r.IntN(3) {
			at, from := spans[r.IntN(len(spans))], spans[r.IntN(len(spans))]
			if at[1] <= len(data) {
				data = data[:at[0]] + text[from[0]:from[1]] + data[at[1]:]
			}
		}
		try(data)
	}
	for i := 0; i < len(text); i += 1 + r.IntN(20) {
		try(text[:i])
		try(text[:i] + text[i+1:])
	}
}

// scalars returns where the scalars of a JSON text lie that stand behind a colon or in an array.
func scalars(text string) (list [][2]int) {
	for i := 0; i < len(text); i++ {
		if text[i] != ':' || i+1 == len(text) || strings.ContainsRune("{[", rune(text[i+1])) {
			continue
		}
		end := i + 1
		if text[end] == '"' {
			for end++; end < len(text) && text[end] != '"'; end++ {
				if text[end] == '\\' {
					end++
				}
			}
			end++
		} else {
			for end < len(text) && !strings.ContainsRune(",}]", rune(text[end])) {
				end++
			}
		}
		list = append(list, [2]int{i + 1, min(end, len(text))})
	}
	return list
}

// TestErrorsInSnapshots: of an error everything stays but the Cause.
func TestErrorsInSnapshots(t *testing.T) {
	list := []*toolerror.Error{
		toolerror.Failed("a", "no \u2028 way"), toolerror.Unknown("b", []string{"x", "y"}), exec.FromRPC("c", jsonrpc.Error{Code: -32601, Message: "m", Data: `{"a":1}`}),
		exec.FromRPC("d", jsonrpc.Error{Code: -32002, Message: "m", Data: `[1]`}), {Kind: toolerror.Timeout, After: 1234567},
	}
	for k := toolerror.UnknownTool; k <= toolerror.InvalidOutput; k++ {
		list = append(list, &toolerror.Error{Kind: k, Text: "text", After: 5 * sec, Remote: k%2 == 0})
	}
	for _, e := range list {
		var x exec.Executor
		x, out, err := x.Start(start, []exec.Request{{Tool: "t"}, {Tool: "u"}}, exec.BatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		x, out = x.Resolve(start, out.Start[0].Attempt, exec.Outcome{Err: e})
		y, err := exec.Restore(exec.Config{}, x.Snapshot(), start)
		if err != nil {
			t.Fatal(err)
		}
		_, here := x.Resolve(start, out.Start[0].Attempt, good())
		_, there := y.Resolve(start, out.Start[0].Attempt, good())
		a, b := *here.Batches[0].Results[0].Outcome.Err, *there.Batches[0].Results[0].Outcome.Err
		a.Cause = nil
		if fmt.Sprintf("%+v", plain(a)) != fmt.Sprintf("%+v", plain(b)) {
			t.Errorf("restored %+v, was %+v", plain(b), plain(a))
		}
	}
}

// plain is an error without its methods, so that all its fields are written.
type plain toolerror.Error
