package jetstream_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/protocol"
	mcp "github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/jetstream"
	"github.com/sansmcp/mcp/server/nethttp"
	"github.com/sansmcp/mcp/server/typed"
)

// sizeArgs are those of a tool whose question, progress or answer is long.
type sizeArgs struct {
	Ask    int `json:"ask,omitempty"`
	Tell   int `json:"tell,omitempty"`
	Answer int `json:"answer,omitempty"`
}

// What a session keeps may be too long for the server: the caller is told, and the session goes on.
func TestTooLong(t *testing.T) {
	x := running(t, 1)[0]
	hs := new(mcp.Handlers)
	typed.Tool(hs, protocol.Tool{Name: "long"}, func(ctx context.Context, c mcp.Caller, in sizeArgs) (string, error) {
		if in.Tell > 0 {
			if err := c.Progress(protocol.ProgressParams{Progress: 1, Message: strings.Repeat("p", in.Tell)}); err != nil {
				t.Error("progress that cannot be stored:", err)
			}
		}
		if in.Ask > 0 {
			_, err := c.Request(ctx, protocol.CreateMessageParams{
				Messages: []protocol.SamplingMessage{{Role: protocol.RoleUser, Content: []protocol.Content{protocol.TextContent(strings.Repeat("q", in.Ask))}}}, MaxTokens: 1,
			}, mcp.RequestOptions{})
			return "", err
		}
		return strings.Repeat("a", in.Answer), nil
	})
	cfg := mcp.Config{Info: protocol.Implementation{Name: "long", Version: "1"}, HashKey: [16]byte{1}}
	h, err := nethttp.NewHandler(cfg, hs, nethttp.Options{Store: nethttp.NewShared(open(t, x.ClientURL(), jetstream.Options{}))})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
		h.Close()
	})
	id := ""
	post := func(body string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if id != "" {
			r.Header.Set("Mcp-Session-Id", id)
			r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
		}
		resp, err := s.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if id == "" {
			id = resp.Header.Get("Mcp-Session-Id")
		}
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(text)
	}
	post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{}},"clientInfo":{"name":"c","version":"1"}}}`)
	post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for i, call := range []struct{ args, want string }{
		{`{"ask":1200000}`, "limit reached"},
		{`{"tell":1200000,"answer":1}`, `"text":"a"`},
		{`{"tell":10,"answer":1200000}`, "the answer is too large to be kept"},
		{`{"answer":3}`, `"text":"aaa"`},
	} {
		status, body := post(`{"jsonrpc":"2.0","id":` + strconv.Itoa(i+1) + `,"method":"tools/call","params":{"name":"long","arguments":` + call.args + `,"_meta":{"progressToken":1}}}`)
		if status != http.StatusOK || !strings.Contains(body, call.want) {
			t.Errorf("%s: %d %.300s, want %s", call.args, status, body, call.want)
		}
	}
}
