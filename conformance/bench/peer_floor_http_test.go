package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/sansmcp/mcp/conformance/bench/scan"
)

// floorHTTP is a bare handler of net/http: it reads the body, parses it as JSON, and answers
// with its text. It has no sessions. As a
// client it is a bare client of net/http.
var floorHTTP = library{
	name:       "floor-http",
	http:       func() (http.Handler, func(), error) { return newFloorHandler(), func() {}, nil },
	httpClient: func(url string) (client, error) { return newFloorHTTPClient(url), nil },
}

// floorHandler has a pool of request data.
type floorHandler struct{ pool sync.Pool }

type floorTurn struct {
	scanner scan.Scanner
	out     []byte
}

func newFloorHandler() *floorHandler {
	return &floorHandler{sync.Pool{New: func() any { return new(floorTurn) }}}
}

func (h *floorHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPost:
	case http.MethodGet: // a stream that nothing comes on
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		return
	default:
		http.Error(w, "only POST and GET", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	t := h.pool.Get().(*floorTurn)
	defer h.pool.Put(t)
	var e scan.Envelope
	switch err := t.scanner.Parse(body, &e); {
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	case e.ID == nil:
		w.WriteHeader(http.StatusAccepted)
		return
	}
	b := append(t.out[:0], `{"jsonrpc":"2.0","id":`...)
	b = append(b, e.ID...)
	b = append(b, `,"result":`...)
	if string(e.Method) == `"initialize"` {
		w.Header().Set("Mcp-Session-Id", "floor")
		b = append(b, initializeResult...)
	} else {
		b = append(b, `{"content":[{"type":"text","text":`...)
		b = append(b, t.scanner.Field(e.Arguments, `"text"`)...)
		b = append(b, `}]}`...)
	}
	t.out = append(b, '}')
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(t.out)))
	_, _ = w.Write(t.out)
}

// floorHTTPClient is a client of net/http that posts prepared bytes and looks for the
// text in the answer.
type floorHTTPClient struct {
	http *http.Client
	url  string
	body string
}

func newFloorHTTPClient(url string) *floorHTTPClient {
	return &floorHTTPClient{pooled(), url, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":` + string(echoRaw) + `}}`}
}

func (c *floorHTTPClient) Call(tool string, _ map[string]any) (string, error) {
	if tool != "echo" {
		return "", errors.New("unknown tool")
	}
	r, err := c.http.Post(c.url, "application/json", strings.NewReader(c.body))
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil || !bytes.Contains(body, wireText) {
		return "", fmt.Errorf("status %d, %.200q: %w", r.StatusCode, body, err)
	}
	return smallText, nil
}

func (c *floorHTTPClient) Close() { c.http.CloseIdleConnections() }
