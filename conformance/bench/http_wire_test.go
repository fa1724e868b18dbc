package bench

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// endpoint is the path of every server under test.
const endpoint = "/mcp"

// wire is the client that measures servers: one connection that is kept alive. It writes
// prepared requests, and reads as little of the answer as possible. It allocates
// nothing, so that a benchmark counts only the server, including net/http.
type wire struct {
	conn net.Conn
	in   *bufio.Reader
	body []byte // of the last answer; SSE unchanged
	call []byte // a whole request, tools/call
	id   []byte // the digits of the id in call
	last int
}

func newWire(addr string) (*wire, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &wire{conn: conn, in: bufio.NewReaderSize(conn, 16<<10)}, nil
}

// wireText is the text that the answer of the tool echo must contain.
var wireText = []byte(quote(smallText))

// request returns a POST of one message.
func (w *wire) request(session, body string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "POST %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: bench\r\nContent-Type: application/json\r\n"+
		"Accept: application/json, text/event-stream\r\nContent-Length: %d\r\n", endpoint, w.conn.RemoteAddr(), len(body))
	if session != "" {
		fmt.Fprintf(&b, "Mcp-Session-Id: %s\r\nMcp-Protocol-Version: %s\r\n", session, revision)
	}
	return []byte(b.String() + "\r\n" + body)
}

// open opens a session and returns its id.
func (w *wire) open() (session string, err error) {
	status, session, err := w.exchange(w.request("", initialize))
	if err != nil {
		return "", err
	}
	if status != 200 || session == "" || !bytes.Contains(w.body, []byte(`"bench-server"`)) {
		return "", fmt.Errorf("initialize: status %d, session %q, %.200q", status, session, w.body)
	}
	status, _, err = w.exchange(w.request(session, initialized))
	if err == nil && status != 202 {
		err = fmt.Errorf("initialized: status %d, %.200q", status, w.body)
	}
	return session, err
}

// join makes the calls of a session; first is the first id.
func (w *wire) join(session string, first int) {
	const digits = "100000000"
	w.last = first
	w.call = w.request(session, `{"jsonrpc":"2.0","id":`+digits+`,"method":"tools/call","params":{"name":"echo","arguments":`+string(echoRaw)+`}}`)
	at := bytes.Index(w.call, []byte(`"id":`+digits)) + len(`"id":`)
	w.id = w.call[at : at+len(digits)]
}

// echo calls the tool echo once.
func (w *wire) echo() error {
	w.last++
	strconv.AppendInt(w.id[:0], int64(100000000+w.last), 10)
	status, _, err := w.exchange(w.call)
	if err == nil && (status != 200 || !bytes.Contains(w.body, w.id) || !bytes.Contains(w.body, wireText)) {
		err = fmt.Errorf("status %d to call %s: %.300q", status, w.id, w.body)
	}
	return err
}

// exchange writes a request and reads its answer to the end; body has the answer's body.
func (w *wire) exchange(request []byte) (status int, session string, err error) {
	if _, err := w.conn.Write(request); err != nil {
		return 0, "", err
	}
	length, chunked := 0, false
	for first := true; ; first = false {
		line, err := w.in.ReadSlice('\n')
		if err != nil {
			return 0, "", err
		}
		line = bytes.TrimRight(line, "\r\n")
		if first {
			if len(line) < len("HTTP/1.1 200") {
				return 0, "", fmt.Errorf("status line %q", line)
			}
			status = number(line[len("HTTP/1.1 "):len("HTTP/1.1 200")], 10)
			continue
		}
		if len(line) == 0 {
			break
		}
		switch {
		case header(line, "Content-Length: "):
			length = number(line[len("Content-Length: "):], 10)
		case header(line, "Transfer-Encoding: chunked"):
			chunked = true
		case header(line, "Mcp-Session-Id: "):
			session = w.kept(line[len("Mcp-Session-Id: "):])
		}
	}
	w.body = w.body[:0]
	for {
		if chunked {
			line, err := w.in.ReadSlice('\n')
			if err != nil {
				return 0, "", err
			}
			length = number(bytes.TrimRight(line, "\r\n"), 16)
		}
		if length < 0 {
			return 0, "", errors.New("no length")
		}
		if err := w.read(length); err != nil || !chunked {
			return status, session, err
		}
		if _, err := w.in.Discard(len("\r\n")); err != nil || length == 0 {
			return status, session, err
		}
	}
}

// read appends the next n bytes to body.
func (w *wire) read(n int) error {
	for n > 0 {
		if w.in.Buffered() == 0 {
			if _, err := w.in.Peek(1); err != nil {
				return err
			}
		}
		b, _ := w.in.Peek(min(n, w.in.Buffered()))
		w.body = append(w.body, b...)
		n -= len(b)
		if _, err := w.in.Discard(len(b)); err != nil {
			return err
		}
	}
	return nil
}

// kept returns the session id from initialize. Servers that repeat it in every
// answer cost the client nothing.
func (w *wire) kept(id []byte) string {
	if w.call != nil {
		return ""
	}
	return string(id)
}

func header(line []byte, prefix string) bool {
	return len(line) >= len(prefix) && bytes.EqualFold(line[:len(prefix)], []byte(prefix))
}

// number reads digits, -1 for none.
func number(b []byte, base int) int {
	n := -1
	for _, c := range b {
		d := 0
		switch {
		case c >= '0' && c <= '9':
			d = int(c - '0')
		case base == 16 && c|0x20 >= 'a' && c|0x20 <= 'f':
			d = int(c|0x20-'a') + 10
		default:
			return -1
		}
		n = max(n, 0)*base + d
	}
	return n
}

func (w *wire) Close() { w.conn.Close() }
