package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// mock is a server that a test writes by hand. What it does not say is done as a plain
// server does it: JSON answers, a session id, no stream of its own.
type mock struct {
	t   *testing.T
	url string
	// post answers a POST; false leaves it to the mock.
	post func(w http.ResponseWriter, r *http.Request, m jsonrpc.Message) bool
	get  func(w http.ResponseWriter, r *http.Request)
	// stop has it accept no more connections.
	stop func()

	mu       sync.Mutex
	heads    []*http.Request
	messages []jsonrpc.Message
	ids      int // of sessions
	valid    string
}

// patience is how long what has to happen may take, however busy the machine is.
const patience = 20 * time.Second

const initialized = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"mock","version":"1"}}`

func newMock(t *testing.T) *mock {
	m := &mock{t: t}
	before := runtime.NumGoroutine()
	srv := httptest.NewServer(m)
	m.url = srv.URL + "/mcp"
	m.stop = func() { _ = srv.Listener.Close() }
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
		http.DefaultClient.CloseIdleConnections()
		for end := time.Now().Add(patience); runtime.NumGoroutine() > before; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				buf := make([]byte, 1<<20)
				t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
			}
		}
	})
	return m
}

func (m *mock) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	msg := jsonrpc.Decode(body)
	m.mu.Lock()
	m.heads, m.messages = append(m.heads, r), append(m.messages, msg)
	m.mu.Unlock()
	switch {
	case r.Method == http.MethodGet && m.get != nil:
		m.get(w, r)
	case r.Method == http.MethodGet:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case r.Method == http.MethodDelete:
	case m.post != nil && m.post(w, r, msg):
	case msg.Method == "initialize":
		m.mu.Lock()
		m.ids++
		m.valid = fmt.Sprintf("session-%d", m.ids)
		w.Header().Set("Mcp-Session-Id", m.valid)
		m.mu.Unlock()
		reply(w, msg, initialized)
	case msg.Kind != jsonrpc.KindRequest:
		w.WriteHeader(http.StatusAccepted)
	default:
		reply(w, msg, `{"contents":[]}`)
	}
}

// heard returns the requests so far, as method, method of JSON-RPC or "answer".
func (m *mock) heard() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []string
	for i, r := range m.heads {
		list = append(list, strings.TrimSpace(r.Method+" "+m.messages[i].Method))
	}
	return strings.Join(list, ", ")
}

// count returns how many requests of that kind there were.
func (m *mock) count(what string) (n int) {
	for _, s := range strings.Split(m.heard(), ", ") {
		if s == what {
			n++
		}
	}
	return n
}

func reply(w io.Writer, m jsonrpc.Message, result string) {
	if w, ok := w.(http.ResponseWriter); ok {
		w.Header().Set("Content-Type", "application/json")
	}
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

// events begins a stream; what it returns writes one event, of the lines.
func events(w http.ResponseWriter) func(lines ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	w.(http.Flusher).Flush()
	return func(lines ...string) {
		fmt.Fprint(w, strings.Join(lines, "\n")+"\n\n")
		w.(http.Flusher).Flush()
	}
}

func answerTo(m jsonrpc.Message) string {
	return fmt.Sprintf(`data: {"jsonrpc":"2.0","id":%s,"result":{"contents":[]}}`, m.ID)
}

// cut breaks the connection.
func cut() { panic(http.ErrAbortHandler) }

func config() client.Config {
	return client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}
}

// connect opens a session, which ends with the test.
func (m *mock) connect(opt Options, hopt session.Options) *session.Client {
	m.t.Helper()
	t, err := New(m.url, opt)
	if err != nil {
		m.t.Fatal(err)
	}
	ctx, end := context.WithTimeout(context.Background(), patience)
	defer end()
	cfg := config()
	if hopt.Serve != nil {
		cfg.Serve, cfg.Declare = []string{"elicitation/create"}, protocol.CapElicitationForm
	}
	c, err := session.Connect(ctx, cfg, t, hopt)
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() {
		ctx, end := context.WithTimeout(context.Background(), patience)
		defer end()
		c.Close(ctx)
	})
	return c
}

func read(c *session.Client) error { return readIn(context.Background(), c, patience) }

func readIn(ctx context.Context, c *session.Client, d time.Duration) error {
	_, err := c.Request(ctx, protocol.ReadResourceParams{URI: "test://a"}, session.RequestOptions{RequestOptions: client.RequestOptions{Timeout: d}})
	return err
}

func wantErr(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("%v, want %v", err, want)
	}
}

func wantText(t *testing.T, got any, want string) {
	t.Helper()
	if text := fmt.Sprint(got); !strings.Contains(text, want) {
		t.Fatalf("%s, want %s in it", text, want)
	}
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !f(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(what, "did not happen")
		}
	}
}
