package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	progress = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p7","progress":%d,"message":"step of %s"}}`
	result   = `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"marked %s by 1"}]}}`
)

func sse(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		id, data, _ := strings.Cut(e, " ")
		fmt.Fprintf(&b, "id: %s\ndata: %s\n\n", id, data)
	}
	return b.String()
}

// The book notices each violation, and reports none without one.
func TestBook(t *testing.T) {
	mine, own := fmt.Sprintf(result, "x"), fmt.Sprintf(progress, 1, "x")
	for name, c := range map[string]struct {
		posted, resumed string
		status          int // of the resumption
		args            markArgs
		fate, wrong     string
	}{
		"json":               {posted: mine, fate: answered},
		"a stream":           {posted: sse("1-1", "1-2 "+own, "1-3 "+mine), fate: answered},
		"resumed":            {posted: sse("1-1 " + own), resumed: sse("1-2 " + mine), fate: answered},
		"an error":           {posted: `{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"lost"}}`, fate: failed},
		"an error of a tool": {posted: `{"jsonrpc":"2.0","id":7,"result":{"isError":true,"content":[{"type":"text","text":"no"}]}}`, fate: failed},
		"refused":            {posted: sse("1-1"), status: http.StatusNotFound, fate: refused},
		"nothing":            {posted: ":\n\n", fate: silent},
		"beats":              {posted: sse("1-1"), resumed: ":\n\n", fate: hung},
		"a gap":              {posted: sse("1-1", "1-3 "+mine), fate: answered, wrong: "event 1-3 follows 1-1"},
		"another stream":     {posted: sse("1-1", "2-2 "+mine), fate: answered, wrong: "event 2-2 follows 1-1"},
		"an event twice":     {posted: sse("1-1 " + own), resumed: sse("1-1 "+mine, "1-2 "), fate: answered, wrong: "event 1-1 came again"},
		"no id":              {posted: "data: " + mine + "\n\n", fate: answered, wrong: "without an id"},
		"answered twice":     {posted: sse("1-1 "+mine, "1-2 "+mine), fate: answered, wrong: "answered twice"},
		"another's answer":   {posted: fmt.Sprintf(result, "y"), fate: answered, wrong: `has the answer "marked y by 1"`},
		"another's question": {posted: sse(`1-1 {"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"m":"for y"}}`, "1-2 "+mine), fate: answered, wrong: "has the question"},
		"another's progress": {posted: sse("1-1 "+fmt.Sprintf(progress, 1, "y"), "1-2 "+mine), fate: answered, wrong: "has progress"},
		"progress again":     {posted: sse("1-1 "+own, "1-2 "+own, "1-3 "+mine), fate: answered, wrong: "has progress"},
		"another's message":  {posted: sse(`1-1 {"jsonrpc":"2.0","id":8,"result":{}}`, "1-2 "+mine), fate: answered, wrong: "not its own"},
		"withdrawn": {
			posted: sse(`1-1 {"jsonrpc":"2.0","id":9,"method":"sampling/createMessage","params":{"m":"for x"}}`,
				`1-2 {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}`, "1-3 "+mine), fate: answered,
		},
		"another withdrawn":  {posted: sse(`1-1 {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}`, "1-2 "+mine), fate: answered, wrong: "not its own"},
		"no answer to asked": {posted: mine, args: markArgs{Ask: true}, fate: answered, wrong: `has the answer "marked x by 1"`},
		"of nobody":          {posted: `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"marked x by 2"}]}}`, fate: answered, wrong: "was run by 1, and answered by 2"},
		"lost alive":         {posted: `{"jsonrpc":"2.0","id":7,"result":{"isError":true,"content":[{"type":"text","text":"nethttp: the lease of the process has ended: others"}]}}`, fate: failed, wrong: "had no lease"},
		"no JSON":            {posted: sse("1-1 {", "1-2 "+mine), fate: answered, wrong: "unexpected end"},
	} {
		t.Run(name, func(t *testing.T) {
			marks := filepath.Join(t.TempDir(), "marks")
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				text := c.posted
				if r.Method == http.MethodGet {
					text = c.resumed
				} else if err := os.WriteFile(marks, fmt.Appendf(nil, "x 1 %d\n", time.Now().UnixNano()), 0o600); err != nil {
					t.Error(err)
				}
				if strings.HasPrefix(text, "{") {
					w.Header().Set("Content-Type", "application/json")
				} else {
					w.Header().Set("Content-Type", "text/event-stream")
				}
				if r.Method == http.MethodGet && c.status > 0 {
					w.WriteHeader(c.status)
				}
				_, _ = w.Write([]byte(text))
			}))
			defer s.Close()
			b := newBook()
			x := &call{plan: plan{args: c.args, over: time.Second}, s: &session{url: s.URL, http: s.Client()}, b: b, id: 7, name: "x"}
			x.make(context.Background())
			if b.fates[c.fate] != 1 {
				t.Fatalf("%v, want %s", b.fates, c.fate)
			}
			good := c.wrong == "" && c.fate != hung && c.fate != silent
			if err := b.report(marks); (err == nil) != good {
				t.Errorf("it is said to hold: %v", err)
			}
			if wrong := strings.Join(b.wrong, "\n"); !strings.Contains(wrong, c.wrong) || c.wrong == "" && wrong != "" {
				t.Errorf("%q, want %q", wrong, c.wrong)
			}
		})
	}
}

// Violations that no single caller can see show in the history of all.
func TestHistory(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(int64(ms)) }
	one := entry{Session: "s", Name: "a", ID: 7, Began: at(10), Ended: at(30), Got: []event{{"1-1", ""}, {"1-2", fmt.Sprintf(result, "a")}}}
	two := entry{Session: "s", Name: "b", ID: 8, Began: at(40), Ended: at(60), Got: []event{{"2-1", ""}, {"2-2", strings.Replace(fmt.Sprintf(result, "b"), `"id":7`, `"id":8`, 1)}}}
	question := event{"2-2", `{"jsonrpc":"2.0","id":3,"method":"sampling/createMessage","params":{"m":"for %s"}}`}
	other := func(e entry, edit func(*entry)) entry {
		edit(&e)
		return e
	}
	asks := func(e entry, stream string) entry {
		return other(e, func(e *entry) {
			e.Got = []event{{stream + "-1", fmt.Sprintf(question.data, e.Name)}}
		})
	}
	marks := []mark{{"a", "1", at(20)}, {"b", "1", at(50)}}
	for name, c := range map[string]struct {
		history []entry
		marks   []mark
		lost    []span
		wrong   string
	}{
		"well":                   {history: []entry{one, two}, marks: marks},
		"twice started":          {history: []entry{one, two}, marks: append(marks[:2:2], mark{"a", "2", at(25)}), wrong: "started 2 times"},
		"nobody's":               {history: []entry{one}, marks: marks, wrong: "nobody called it"},
		"not started":            {history: []entry{one, two}, marks: marks[:1], wrong: "its function was not started"},
		"early":                  {history: []entry{one}, marks: []mark{{"a", "1", at(5)}}, wrong: "started before it was called"},
		"late":                   {history: []entry{one}, marks: []mark{{"a", "1", at(35)}}, wrong: "answered before its function"},
		"an id for two":          {history: []entry{one, other(two, func(e *entry) { e.ID = 7 })}, marks: marks, wrong: "have one id"},
		"an event of two":        {history: []entry{one, other(two, func(e *entry) { e.Got = one.Got[:1] })}, marks: marks, wrong: "event 1-1 came again"},
		"in two sessions":        {history: []entry{one, other(two, func(e *entry) { e.Session, e.Got = "t", one.Got[:1] })}, marks: marks},
		"a question of two":      {history: []entry{asks(one, "1"), asks(two, "2")}, marks: marks, wrong: "have one id"},
		"questions of two":       {history: []entry{asks(one, "1"), other(asks(two, "2"), func(e *entry) { e.Session = "t" })}, marks: marks},
		"a gap":                  {history: []entry{other(one, func(e *entry) { e.Got = []event{{"1-1", ""}, {"1-9", ""}} })}, marks: marks[:1], wrong: "event 1-9 follows 1-1"},
		"a gap in a failover":    {history: []entry{other(one, func(e *entry) { e.Got = []event{{"1-1", ""}, {"1-9", ""}} })}, marks: marks[:1], lost: []span{{at(25), at(40)}}},
		"a gap after a failover": {history: []entry{other(one, func(e *entry) { e.Got = []event{{"1-1", ""}, {"1-9", ""}} })}, marks: marks[:1], lost: []span{{at(1), at(9)}}, wrong: "event 1-9 follows 1-1"},
		"no id in a failover":    {history: []entry{other(one, func(e *entry) { e.Got = []event{{"", one.Got[1].data}} })}, marks: marks[:1], lost: []span{{at(25), at(40)}}},
		"two without an id":      {history: []entry{other(one, func(e *entry) { e.Got = []event{{"", ""}, {"", one.Got[1].data}} })}, marks: marks[:1], lost: []span{{at(25), at(40)}}, wrong: "without an id"},
		"back in a failover":     {history: []entry{other(one, func(e *entry) { e.Got = []event{{"1-3", ""}, {"1-2", ""}} })}, marks: marks[:1], lost: []span{{at(25), at(40)}}, wrong: "event 1-2 follows 1-3"},
	} {
		if wrong := strings.Join(check(c.history, c.marks, c.lost), "\n"); !strings.Contains(wrong, c.wrong) || c.wrong == "" && wrong != "" {
			t.Errorf("%s: %q, want %q", name, wrong, c.wrong)
		}
	}
}
