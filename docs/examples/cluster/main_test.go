package main

import (
	"context"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// free returns an address of this machine that nobody uses.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// post sends a message of a session, and returns the response's status, session and body.
func post(t *testing.T, addr, session, body string) (status int, id, answer string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		r, err := http.NewRequest(http.MethodPost, "http://"+addr+"/mcp", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
			r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil && time.Now().Before(deadline) { // it does not listen yet
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		return resp.StatusCode, resp.Header.Get("Mcp-Session-Id"), string(text)
	}
}

// Two processes serve one session, on servers of NATS that one of them runs.
func TestEmbedded(t *testing.T) {
	for _, count := range []int{1, 3} {
		port := 20000 + 10*rand.IntN(500) // those after it are free too, as the system gives others out
		a, b := free(t), free(t)
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		ended := make(chan error, 2)
		first := embedded{count: count, port: port, dir: t.TempDir()}
		go func() { ended <- run(ctx, a, memory, "key", "127.0.0.1:0", first, gatewayOf{}) }()
		status, id, body := post(t, a, "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
		if status != http.StatusOK || id == "" {
			t.Fatal(status, body)
		}
		url := "nats://127.0.0.1:" + strconv.Itoa(port)
		second, leave := context.WithCancel(ctx)
		go func() { ended <- run(second, b, url, "key", "127.0.0.1:0", embedded{}, gatewayOf{}) }()
		if status, _, body = post(t, b, id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); status != http.StatusAccepted {
			t.Fatal(status, body)
		}
		for i, addr := range []string{a, b, a} {
			status, _, body = post(t, addr, id, `{"jsonrpc":"2.0","id":`+strconv.Itoa(i+1)+`,"method":"tools/call","params":{"name":"echo","arguments":{"text":"across"}}}`)
			if status != http.StatusOK || !strings.Contains(body, "across") {
				t.Fatal(status, body)
			}
		}
		for _, end := range []func(){leave, stop} {
			end()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	}
}

// A store that is none, and servers that are no part of their cluster, are errors.
func TestWrong(t *testing.T) {
	addr := free(t)
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	port := busy.Addr().(*net.TCPAddr).Port
	for want, try := range map[string]struct {
		store, key string
		nodes      embedded
	}{
		`-store is of "http":`:    {store: "http://ada:swordfish@x", key: "k"},
		"redis: the url cannot":   {store: "redis://ada:swordfish%@x", key: "k"},
		"-key is empty":           {store: "redis://127.0.0.1:1"},
		"-port: listen":           {key: "k", nodes: embedded{count: 1, port: port}},
		"-port + 2000, or -clust": {key: "k", nodes: embedded{count: 2, port: port - 2000}},
		"-self is 2":              {key: "k", nodes: embedded{count: 1, peers: "127.0.0.1:1,127.0.0.1:2", self: 2}},
		"-cluster:":               {key: "k", nodes: embedded{count: 1, peers: "127.0.0.1"}},
	} {
		began := time.Now()
		err := run(t.Context(), addr, try.store, try.key, "", try.nodes, gatewayOf{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "swordfish") || time.Since(began) > patience/2 {
			t.Errorf("%v after %v, want %q", err, time.Since(began), want)
		}
	}
}
