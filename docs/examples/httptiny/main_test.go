package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// A server over HTTP with one tool is 26 lines in all.
func TestLines(t *testing.T) {
	text, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	_, program, ok := strings.Cut(string(text), "\npackage main\n")
	if lines := strings.Count(program, "\n") + 1; !ok || lines > 26 {
		t.Errorf("it has %d lines", lines)
	}
}

// It answers.
func TestProgram(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close() // so that the program has it
	os.Args = []string{"httptiny", addr}
	go main()
	send := func(session, body string) (string, string) {
		r, err := http.NewRequest(http.MethodPost, "http://"+addr, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Mcp-Session-Id", session)
		for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
			resp, err := http.DefaultClient.Do(r.Clone(t.Context()))
			if err != nil && time.Now().Before(end) { // it does not listen yet
				r.Body = io.NopCloser(strings.NewReader(body))
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			b, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			return resp.Header.Get("Mcp-Session-Id"), string(b)
		}
	}
	session, _ := send("", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	send(session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if _, got := send(session, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"greet"}}`); !strings.Contains(got, "Hello!") {
		t.Errorf("got %s", got)
	}
}
