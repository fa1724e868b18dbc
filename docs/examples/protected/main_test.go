package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

const (
	hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	add   = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add","arguments":{"text":"milk"}}}`
	list  = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"notes","arguments":{}}}`
)

// Each token is answered as docs/authorization.md shows, and the page shows these very answers.
func TestProtected(t *testing.T) {
	h, err := newHandler("127.0.0.1:8080")
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	page, err := os.ReadFile("../../authorization.md")
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method, path, body string, head ...string) *http.Response {
		r := httptest.NewRequest(method, "http://127.0.0.1:8080"+path, strings.NewReader(body))
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(head); i += 2 {
			r.Header.Set(head[i], head[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Result()
	}
	text := func(r *http.Response) string {
		t.Helper()
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	opened := ask("POST", "/mcp", hello, "Authorization", "Bearer reader")
	session := opened.Header.Get("Mcp-Session-Id")
	if opened.StatusCode != http.StatusOK || session == "" {
		t.Fatal(opened.StatusCode, text(opened))
	}
	ask("POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "Authorization", "Bearer reader", "Mcp-Session-Id", session)
	for _, c := range []struct {
		token, body string
		status      int
		want        string // in the challenge
	}{
		{"", list, 401, `Bearer scope="notes"`},
		{"none", list, 401, `error="invalid_token"`},
		{"other", list, 401, `error_description="the token is not for this server"`},
		{"reader", add, 403, `scope="notes:write notes"`},
		{"writer", add, 200, ``},
		{"reader", list, 200, ``},
	} {
		head := []string{"Mcp-Session-Id", session}
		if c.token != "" {
			head = append(head, "Authorization", "Bearer "+c.token)
		}
		r := ask("POST", "/mcp", c.body, head...)
		challenge := r.Header.Get("WWW-Authenticate")
		if r.StatusCode != c.status || !strings.Contains(challenge, c.want) {
			t.Errorf("%s: %d %s", c.token, r.StatusCode, challenge)
		}
		if c.status != 200 && !strings.Contains(string(page), challenge) {
			t.Errorf("the page does not show %s", challenge)
		}
		if c.status == 200 && c.body == list && !strings.Contains(text(r), "milk (ada)") {
			t.Error("the note is lost")
		}
	}
	meta := text(ask("GET", "/.well-known/oauth-protected-resource/mcp", ""))
	if !strings.Contains(string(page), meta) || !strings.Contains(meta, `"scopes_supported":["notes","notes:write"]`) {
		t.Errorf("the page does not show %s", meta)
	}
}
