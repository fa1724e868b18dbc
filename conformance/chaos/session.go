package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

const revision = "2025-11-25"

// session is a session of a client.
type session struct {
	url, id string
	http    *http.Client
	ids     atomic.Int64
	gone    atomic.Bool
}

// do sends a request. last is the id of the event to resume after.
func (s *session) do(ctx context.Context, method, body, last string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if method == http.MethodGet {
		r.Header.Set("Accept", "text/event-stream")
	}
	if s.id != "" {
		r.Header.Set("Mcp-Session-Id", s.id)
		r.Header.Set("Mcp-Protocol-Version", revision)
	}
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	return s.http.Do(r)
}

// again is how long a client waits before a retry.
const again = 100 * time.Millisecond

// tell posts a notification or an answer, repeatedly until it is accepted, and reports whether it was.
func (s *session) tell(ctx context.Context, body string) bool {
	for ctx.Err() == nil {
		resp, err := s.do(ctx, http.MethodPost, body, "")
		if err == nil {
			_, _ = io.Copy(io.Discard, resp.Body) // it has none
			_ = resp.Body.Close()
			switch {
			case resp.StatusCode == http.StatusAccepted:
				return true
			case resp.StatusCode < 500:
				return false
			}
		}
		pause(ctx, again)
	}
	return false
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// begin begins a session, repeatedly until a process accepts it.
func begin(ctx context.Context, url string, client *http.Client) (*session, error) {
	for {
		s := &session{url: url, http: client}
		resp, err := s.do(ctx, http.MethodPost, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+revision+
			`","capabilities":{"sampling":{}},"clientInfo":{"name":"chaos","version":"1"}}}`, "")
		if err == nil {
			_, err = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			if s.id = resp.Header.Get("Mcp-Session-Id"); err == nil && s.id != "" && s.tell(ctx, `{"jsonrpc":"2.0","method":"notifications/initialized"}`) {
				return s, nil
			}
		}
		if pause(ctx, again); ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

// finish ends the session.
func (s *session) finish(ctx context.Context) {
	if resp, err := s.do(ctx, http.MethodDelete, "", ""); err == nil {
		_ = resp.Body.Close()
	}
}

// event is an event of a stream.
type event struct{ id, data string }

// events passes the events of a stream to f until that returns false, and reports whether the stream ended properly.
func events(body io.Reader, f func(event) bool) error {
	sc := bufio.NewScanner(body)
	sc.Buffer(nil, 16<<20)
	var e event
	for sc.Scan() {
		line := sc.Text()
		if v, ok := strings.CutPrefix(line, "id:"); ok {
			e.id = strings.TrimSpace(v)
		} else if v, ok := strings.CutPrefix(line, "data:"); ok {
			e.data += strings.TrimSpace(v)
		} else if line == "" && e != (event{}) {
			if !f(e) {
				return nil
			}
			e = event{}
		}
	}
	return sc.Err()
}

// message is a message of a server.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int64  `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func parse(text string) (m message, err error) {
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return m, fmt.Errorf("%w: %.200q", err, text)
	}
	return m, nil
}
