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
	result   = `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"marked %s"}]}}`
)

func sse(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		id, data, _ := strings.Cut(e, " ")
		fmt.Fprintf(&b, "id: %s\ndata: %s\n\n", id, data)
	}
	return b.String()
}

// The book notices each thing that must not be, and nothing where all is well.
func TestBook(t *testing.T) {
	mine, own := fmt.Sprintf(result, "x"), fmt.Sprintf(progress, 1, "x")
	for name, c := range map[string]struct {
		posted, resumed string
		status          int // of what resumes
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
		"answered twice":     {posted: sse("1-1 "+mine, "1-2 "+mine), fate: answered, wrong: "answered 2 times"},
		"another's answer":   {posted: fmt.Sprintf(result, "y"), fate: answered, wrong: `has the answer "marked y"`},
		"another's question": {posted: sse(`1-1 {"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"m":"for y"}}`, "1-2 "+mine), fate: answered, wrong: "has the question"},
		"another's progress": {posted: sse("1-1 "+fmt.Sprintf(progress, 1, "y"), "1-2 "+mine), fate: answered, wrong: "has progress"},
		"progress again":     {posted: sse("1-1 "+own, "1-2 "+own, "1-3 "+mine), fate: answered, wrong: "has progress"},
		"another's message":  {posted: sse(`1-1 {"jsonrpc":"2.0","id":8,"result":{}}`, "1-2 "+mine), fate: answered, wrong: "not its own"},
		"withdrawn": {
			posted: sse(`1-1 {"jsonrpc":"2.0","id":9,"method":"sampling/createMessage","params":{"m":"for x"}}`,
				`1-2 {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}`, "1-3 "+mine), fate: answered,
		},
		"another withdrawn":  {posted: sse(`1-1 {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}`, "1-2 "+mine), fate: answered, wrong: "not its own"},
		"no answer to asked": {posted: mine, args: markArgs{Ask: true}, fate: answered, wrong: `has the answer "marked x"`},
		"no JSON":            {posted: sse("1-1 {", "1-2 "+mine), fate: answered, wrong: "unexpected end"},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				text := c.posted
				if r.Method == http.MethodGet {
					text = c.resumed
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
				t.Errorf("%v, want %s", b.fates, c.fate)
			}
			if wrong := strings.Join(b.wrong, "\n"); !strings.Contains(wrong, c.wrong) || c.wrong == "" && wrong != "" {
				t.Errorf("%q, want %q", wrong, c.wrong)
			}
			if good := c.wrong == "" && c.fate != hung && c.fate != silent; b.report() != good {
				t.Errorf("it is said to hold: %v", !good)
			}
		})
	}
}

// A function that is started twice, or for nobody, is noticed.
func TestMarks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "marks")
	for text, want := range map[string]int{"a 1\nb 1\n": 0, "a 1\na 2\n": 1, "c 1\n": 1} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		b := newBook()
		b.begin("quick", "a")
		b.begin("quick", "b")
		if err := b.marked(file); err != nil || b.wrongs != want {
			t.Errorf("%q: %d violations, %v, want %d", text, b.wrongs, err, want)
		}
	}
}
