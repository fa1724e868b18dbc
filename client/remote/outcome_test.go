package remote

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
)

// outcome is what came of a call.
type outcome struct {
	attempts, posts, cancels int
	last                     error // of the last attempt
	kind                     string
	err                      error
}

// try makes one call under a policy of three attempts against a server that is spoiled.
func try(t *testing.T, spoil func(*wire), path string, hints attempt.Hints, opt client.RequestOptions) (got outcome) {
	t.Helper()
	s := &wire{t: t, opt: Options{NoListen: true}}
	spoil(s)
	if s.url == "" {
		srv := httptest.NewUnstartedServer(s)
		if srv.Start(); s.tls {
			srv.Close()
			srv = httptest.NewUnstartedServer(s)
			srv.StartTLS()
		}
		t.Cleanup(srv.Close)
		t.Cleanup(srv.CloseClientConnections)
		s.url = srv.URL + path
	}
	tr, err := New(s.url, s.opt)
	wantErr(t, err, nil)
	c, err := session.Connect(context.Background(), config(), tr, session.Options{})
	wantErr(t, err, nil)
	_, err = c.Request(context.Background(), protocol.RawRequest{Name: "ping"}, session.RequestOptions{}) // behind initialized
	wantErr(t, err, nil)
	s.armed.Store(true)
	args := protocol.Raw(`{}`)
	if s.long {
		args = protocol.Raw(`{"x":"` + strings.Repeat("x", 4<<20) + `"}`)
	}
	now := time.Unix(0, 0)
	x, err := attempt.New(attempt.Config{Policy: attempt.Policy{Retry: backoff.Policy{Attempts: 3}}}, now)
	wantErr(t, err, nil)
	x, out, err := x.Call(now, attempt.Request{Tool: "t", Arguments: args, Hints: hints})
	for wantErr(t, err, nil); ; {
		for _, a := range out.Start {
			_, got.last = c.CallTool(context.Background(), protocol.CallToolParams{Name: "t", Arguments: args}, session.RequestOptions{RequestOptions: opt})
			o := attempt.Outcome{Result: &protocol.CallToolResult{}}
			if got.last != nil {
				o = attempt.FromError("t", got.last)
			}
			x, out = x.Finish(now, a.Attempt, o)
		}
		if len(out.Done) > 0 {
			o := out.Done[0].Outcome
			got.attempts, got.kind = o.Attempts, "nothing"
			if o.Err != nil {
				got.kind, got.err = o.Err.Kind.Code(), o.Err
			}
			break
		}
		next, ok := x.NextDeadline()
		if !ok {
			t.Fatal("the call does not end")
		}
		now = next
		x, out = x.Tick(now)
	}
	ctx, end := context.WithTimeout(context.Background(), patience)
	defer end()
	_ = c.Close(ctx)
	got.posts, got.cancels = int(s.calls.Load()), int(s.cancels.Load())
	return got
}

// The table of docs/transports.md, row by row: what the caller is told, whether the server is told
// that nobody waits, and whether the call is made again, with a hint and without.
func TestOutcomes(t *testing.T) {
	text, err := os.ReadFile("../../docs/transports.md")
	wantErr(t, err, nil)
	_, table, _ := strings.Cut(string(text), "| what happened to the POST |")
	table, _, _ = strings.Cut(table, "\n\n")
	seen := 0
	for _, line := range strings.Split(table, "\n")[2:] {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) != 4 {
			t.Fatal(line)
		}
		variants := map[string]func(*wire){}
		if spoil, ok := rows[cells[0]]; ok {
			seen++
			variants[cells[0]] = spoil
		}
		if n, err := strconv.Atoi(cells[0][:3]); len(variants) == 0 && err == nil && n > 0 {
			for _, word := range strings.Split(cells[0], ", ") {
				n, err := strconv.Atoi(word[:3])
				wantErr(t, err, nil)
				variants[word] = func(s *wire) { s.spoil = status(n) }
			}
		}
		switch cells[0] { // more of the same kind
		case "200 with an empty body, 202, 204":
			variants["202"], variants["204"] = func(s *wire) { s.spoil = status(202) }, func(s *wire) { s.spoil = status(204) }
		case "307 or 308 to another origin, or in a circle":
			variants["308"] = func(s *wire) { s.spoil = status(308, "Location", "https://example.com/mcp") }
			variants["circle"] = func(s *wire) { s.spoil = status(308, "Location", "/mcp") }
			variants["nowhere"] = func(s *wire) { s.spoil = status(307) }
		case "300, 301, 302, 303, 304":
			variants["302 within"] = func(s *wire) { s.spoil = status(302, "Location", "/mcp") }
		case "200 with JSON that is no answer":
			for _, form := range []string{`{}`, `null`, `5`, `"x"`, `[]`, `{"jsonrpc":"2.0","result":{}}`, `{"jsonrpc":"2.0","id":null,"result":{}}`, `{"jsonrpc":"2.0","id":"9","result":{}}`} {
				variants[form] = func(s *wire) { s.spoil = answers(form) }
			}
		}
		if len(variants) == 0 {
			t.Errorf("no test of %q", cells[0])
		}
		// A status says the same whatever the body is, unless that is the answer of the request.
		if n, err := strconv.Atoi(cells[0][:3]); err == nil && n > 300 {
			for name, spoil := range maps.Clone(variants) {
				for form, body := range bodies {
					variants[name+", "+form] = saying(spoil, body)
				}
			}
		}
		for name, spoil := range variants {
			cells := slices.Clone(cells)
			answer := strings.HasSuffix(name, ", an error of the id")
			if answer {
				switch {
				case strings.HasPrefix(name, "401"), strings.HasPrefix(name, "404 in"), strings.HasPrefix(name, "304"):
				default:
					cells[1], cells[2], cells[3] = "answered", "remote_rpc", "no"
				}
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				for _, hinted := range []bool{false, true} {
					path, opt := "/mcp", client.RequestOptions{Timeout: patience}
					if strings.Contains(name, "without a session") {
						path = "/mcp/bare"
					}
					if strings.HasPrefix(name, "silence") {
						opt.Timeout = 400 * time.Millisecond // longer than Order.Grace
					}
					got := try(t, spoil, path, attempt.Hints{Idempotent: hinted}, opt)
					attempts := 1
					if cells[3] == "yes" || cells[3] == "by a hint" && hinted {
						attempts = 3
					}
					far := lifecycle.DeliveryOf(got.last)
					if got.kind != cells[2] || got.attempts != attempts || got.err != nil && far.String() != cells[1] {
						t.Errorf("hint %v: %d attempts, %s, %s: %v; want %d, %s", hinted, got.attempts, far, got.kind, got.last, attempts, cells[1:])
					}
					if n := strings.Index(name, ", "); n > 0 && !strings.HasPrefix(name, "304") && !strings.HasPrefix(name, "404 in") && got.last != nil && bodies[name[n+2:]] != "" {
						var said *jsonrpc.Error
						if !strings.Contains(got.last.Error(), "not now") || errors.As(got.last, &said) == strings.HasSuffix(name, "plain") {
							t.Errorf("hint %v: the error says %v", hinted, got.last)
						}
					}
					again := 1
					if strings.HasPrefix(cells[0], "HTTP/2") && cells[1] == "did not run" {
						again = 1 + maxAgain
					}
					switch {
					case cells[1] == "not sent" && got.posts != 0, strings.HasPrefix(name, "circle") && got.posts != attempts*(1+maxRedirects),
						cells[1] != "not sent" && cells[0] != "404 in a session" && !strings.Contains(name, "401") && !strings.HasPrefix(name, "circle") && got.posts != attempts*again:
						t.Errorf("hint %v: %d POSTs", hinted, got.posts)
					case (got.cancels > 0) != (cells[1] == "may have run" && cells[2] != "invalid_output"):
						t.Errorf("hint %v: %d cancellations", hinted, got.cancels)
					}
				}
			})
		}
	}
	if seen != len(rows) {
		t.Errorf("%d rows of the table, %d here", seen, len(rows))
	}
}

// notifications/initialized is posted until the server takes it, since the server may refuse all else
// before; if it never does, another session is opened.
func TestInitializedIsTaken(t *testing.T) {
	for name, spoil := range map[string]func(http.ResponseWriter){
		"lost":        func(http.ResponseWriter) { cut() },
		"unavailable": func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, many := range []int{3, 1 + maxAgainBegun} {
				m := newMock(t)
				n := 0
				m.post = func(w http.ResponseWriter, r *http.Request, msg jsonrpc.Message) bool {
					if msg.Method == "notifications/initialized" {
						if n++; n <= many {
							spoil(w)
							return true
						}
					}
					if msg.Method == "resources/read" && n <= many {
						t.Error("a request came before the server had taken it")
					}
					return false
				}
				c := m.connect(Options{NoListen: true}, session.Options{})
				wantErr(t, read(c), nil)
				if sessions := m.count("POST initialize"); n != many+1 || sessions != 1+many/(1+maxAgainBegun) {
					t.Errorf("posted %d times in %d sessions", n, sessions)
				}
			}
		})
	}
}
