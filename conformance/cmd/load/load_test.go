package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sansmcp/mcp/protocol"
)

// small are the settings of runs that take a few seconds.
func small() settings {
	return settings{
		sessions: 50, calls: 8, parallel: 2, handlers: 1, seed: 1, hang: 30 * time.Second, rest: 15 * time.Second, revision: protocol.Revision20251125,
		chaos: chaos{slow: 0.05, delay: 0.1}, vanish: 0.1, idle: time.Second,
	}
}

// TestLoad makes small runs: with cuts after which the client can resume and without any,
// where a call may fail only with its session, and with cuts anywhere.
func TestLoad(t *testing.T) {
	for _, tt := range []struct {
		name string
		set  func(*settings)
	}{
		{"resumable", func(s *settings) { s.chaos.cuts, s.chaos.resumable = 0.3, true }},
		{"forgotten", func(s *settings) { s.ends = true }},
		{"shared", func(s *settings) { s.chaos.cuts, s.chaos.resumable, s.ends, s.handlers = 0.3, true, true, 2 }},
		{"anywhere", func(s *settings) { s.chaos.cuts, s.ends = 0.1, true }},
		{"anywhere 2025-06-18", func(s *settings) { s.chaos.cuts, s.revision = 0.1, protocol.Revision20250618 }},
		{"anywhere 2024-11-05", func(s *settings) { s.chaos.cuts, s.revision = 0.1, protocol.Revision20241105 }},
	} {
		if testing.Short() && tt.name != "resumable" && tt.name != "anywhere" {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			set := small()
			tt.set(&set)
			r, err := run(context.Background(), set)
			var text strings.Builder
			r.print(&text, set)
			t.Log(text.String())
			if err != nil {
				t.Fatal(err)
			}
			if want := set.sessions * set.calls; r.calls != want || r.results+r.failures != want {
				t.Errorf("%d calls with %d results and %d failures, want %d", r.calls, r.results, r.failures, want)
			}
			cut := false
			for _, n := range r.cuts {
				cut = cut || n > 0
			}
			if cut != (set.chaos.cuts > 0) {
				t.Errorf("cuts: %v", r.cuts)
			}
		})
	}
}

// TestFaults checks that the oracle finds faults planted between server and proxy.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("TestBook shows what the oracle finds")
	}
	for _, tt := range []struct {
		name string
		wrap func(turn int64, call bool, next http.Handler, w http.ResponseWriter, r *http.Request)
		want string // part of the error
	}{
		{"a call is made twice", func(turn int64, call bool, next http.Handler, w http.ResponseWriter, r *http.Request) {
			if call && turn%10 == 0 {
				body, _ := io.ReadAll(r.Body)
				again := r.Clone(r.Context())
				r.Body, again.Body = io.NopCloser(bytes.NewReader(body)), io.NopCloser(bytes.NewReader(body))
				next.ServeHTTP(&nowhere{header: http.Header{}}, again)
			}
			next.ServeHTTP(w, r)
		}, "started twice: "},
		{"an answer is lost", func(turn int64, call bool, next http.Handler, w http.ResponseWriter, r *http.Request) {
			if call && turn%10 == 0 {
				w = &nowhere{header: http.Header{}}
			}
			next.ServeHTTP(w, r)
		}, "failed: "},
		{"an answer is that of another call", edited(`("text":")(\d+)(")`, "${1}9${2}${3}"), "result of another call: "},
		{"a note is lost", edited(`id: [^\n]*\ndata: [^\n]*notifications/message[^\n]*\n\n`, ""), "note lost: "},
		{"a note is repeated", edited(`(data: [^\n]*notifications/message[^\n]*\n\n)`, "$1$1"), "note repeated: "},
		{"progress is repeated", edited(`(data: [^\n]*notifications/progress[^\n]*\n\n)`, "$1$1"), "violation: "},
		{"an answer comes twice", edited(`(data: [^\n]*"result"[^\n]*\n\n)`, "$1$1"), "answered twice: "},
		{"a question comes twice", edited(`(data: [^\n]*sampling/createMessage[^\n]*\n\n)`, "$1$1"), "violation: "},
		{"a call hangs", func(turn int64, call bool, next http.Handler, w http.ResponseWriter, r *http.Request) {
			if call && turn%5 == 0 { // of which some are not given up
				<-r.Context().Done()
				return
			}
			next.ServeHTTP(w, r)
		}, "hangs: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set := small()
			set.sessions, set.hang, set.rest = 5, 2*time.Second, 2*time.Second
			var turn atomic.Int64
			set.wrap = func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					body, err := io.ReadAll(r.Body)
					if err != nil {
						t.Error(err)
					}
					r.Body = io.NopCloser(bytes.NewReader(body))
					call := bytes.Contains(body, []byte(`"tools/call"`))
					n := int64(0)
					if call {
						n = turn.Add(1)
					}
					tt.wrap(n, call, next, w, r)
				})
			}
			l, err := start(set)
			if err != nil {
				t.Fatal(err)
			}
			l.work(context.Background())
			err = l.stop(context.Background())
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// TestLeaks checks that leaked goroutines and memory are found.
func TestLeaks(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a few seconds")
	}
	release := make(chan struct{})
	defer close(release)
	var kept sync.Map
	for _, tt := range []struct {
		name string
		keep func(r *http.Request)
		want string // part of the error
	}{
		{"memory", func(r *http.Request) { kept.Store(r, make([]byte, 64<<10)) }, "bytes of heap are left"},
		{"goroutines", func(*http.Request) { go func() { <-release }() }, "goroutines are left"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set := small()
			set.sessions, set.rest = 5, 5*time.Second // other goroutines end within that
			set.wrap = func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					tt.keep(r)
					next.ServeHTTP(w, r)
				})
			}
			if _, err := run(context.Background(), set); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// TestLeft checks that sessions that the server does not forget are found.
func TestLeft(t *testing.T) {
	set := small()
	set.sessions, set.calls, set.chaos.cuts, set.vanish, set.idle, set.hang = 3, 1, 1e-9, 1, time.Hour, 10*time.Second
	l, err := start(set)
	if err != nil {
		t.Fatal(err)
	}
	l.work(context.Background())
	l.idle = -set.hang // they are looked for too early
	if err = l.stop(context.Background()); err == nil || !strings.Contains(err.Error(), "session left: ") {
		t.Errorf("got %v", err)
	}
}

// edited plants a change of the written text.
func edited(pattern, with string) func(int64, bool, http.Handler, http.ResponseWriter, *http.Request) {
	find := regexp.MustCompile(pattern)
	return func(_ int64, _ bool, next http.Handler, w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&editor{w, func(b []byte) []byte { return find.ReplaceAll(b, []byte(with)) }}, r)
	}
}

// editor changes the written text.
type editor struct {
	http.ResponseWriter
	edit func([]byte) []byte
}

func (e *editor) WriteHeader(status int) {
	e.Header().Del("Content-Length")
	e.ResponseWriter.WriteHeader(status)
}

func (e *editor) Write(b []byte) (int, error) {
	e.Header().Del("Content-Length")
	_, err := e.ResponseWriter.Write(e.edit(b))
	return len(b), err
}

func (e *editor) Unwrap() http.ResponseWriter { return e.ResponseWriter }

// nowhere discards an answer.
type nowhere struct{ header http.Header }

func (n *nowhere) Header() http.Header              { return n.header }
func (n *nowhere) Write(b []byte) (int, error)      { return len(b), nil }
func (n *nowhere) WriteHeader(int)                  {}
func (n *nowhere) Flush()                           {}
func (n *nowhere) SetReadDeadline(time.Time) error  { return nil }
func (n *nowhere) SetWriteDeadline(time.Time) error { return nil }
