package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

const sessionHeader = "Mcp-Session-Id"

// disturb says what the proxy does beside handing on.
type disturb struct {
	cut       []string
	half, end bool
	refuse    int
	junk      string
	expire    string
	restart   string
	old       bool
	report    string
	trace     bool
}

func (d *disturb) active() bool {
	return d.trace || len(d.cut) > 0 || d.junk != "" || d.expire != "" || d.restart != ""
}

type proxy struct {
	disturb
	target string // HOST:PORT
	again  func() error
	l      net.Listener
	srv    *http.Server
	up     *http.Client

	mu    sync.Mutex
	done  map[string]bool // the messages that were disturbed
	n     int             // disturbances
	wrong error           // what the server did that it must not
}

// newProxy returns a proxy before the server at target. again starts that anew.
func newProxy(d disturb, target string, again func() error) (*proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	// No keeping of connections: a broken one must not be taken for a new request.
	up := &http.Client{Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true}}
	p := &proxy{disturb: d, target: target, again: again, l: l, up: up, done: map[string]bool{}}
	p.srv = &http.Server{Handler: p}
	go func() { _ = p.srv.Serve(l) }()
	return p, p.write()
}

func (p *proxy) addr() string { return p.l.Addr().String() }

func (p *proxy) close() { _ = p.srv.Close() }

// fault returns what the server did that it must not.
func (p *proxy) fault() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.wrong
}

// note writes what passes to standard error, if that is asked for.
func (p *proxy) note(r *http.Request, what string, text []byte) {
	if p.trace {
		log.Printf("%s %p %s %.300q", r.Method, r, what, text)
	}
}

// fail keeps the first fault.
func (p *proxy) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wrong == nil {
		p.wrong = err
	}
}

// once reports whether a message has not been disturbed before, and counts it.
func (p *proxy) once(message []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := string(message)
	if p.done[key] {
		return false
	}
	p.done[key] = true
	p.n++
	return p.write() == nil
}

func (p *proxy) write() error {
	if p.report == "" {
		return nil
	}
	return os.WriteFile(p.report, fmt.Appendln(nil, p.n), 0o644)
}

// ServeHTTP hands a request on and its response back.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if p.old && r.Method == http.MethodPost && r.URL.RawQuery == "" {
		http.Error(w, "HTTP+SSE only", http.StatusMethodNotAllowed)
		return
	}
	session := r.Header.Get(sessionHeader) != ""
	p.note(r, "after event "+r.Header.Get("Last-Event-Id"), body)
	if r.Method == http.MethodPost && p.junk == "server" && session {
		p.postJunk(r)
	}
	if r.Method == http.MethodPost && p.expire != "" && session && bytes.Contains(body, []byte(p.expire)) && p.once(body) {
		p.send(r.Context(), r, http.MethodDelete, nil)
	}
	if r.Method == http.MethodPost && p.restart != "" && bytes.Contains(body, []byte(p.restart)) && p.once(body) {
		if err := p.again(); err != nil {
			p.fail(err)
		}
	}
	if r.Header.Get("Last-Event-Id") != "" && p.refuses() {
		http.Error(w, "not now", http.StatusServiceUnavailable)
		return
	}
	resp, err := p.request(r.Context(), r, r.Method, body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer resp.Body.Close()
	for name, values := range resp.Header {
		if name != "Connection" && name != "Transfer-Encoding" && name != "Content-Length" {
			w.Header()[name] = values
		}
	}
	p.note(r, resp.Status, []byte(resp.Header.Get("Content-Type")))
	w.WriteHeader(resp.StatusCode)
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		p.events(w, r, resp.Body)
		return
	}
	if _, err := io.Copy(w, resp.Body); err != nil {
		panic(http.ErrAbortHandler)
	}
}

func (p *proxy) request(ctx context.Context, r *http.Request, method string, body []byte) (*http.Response, error) {
	out, err := http.NewRequestWithContext(ctx, method, "http://"+p.target+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	out.Header = r.Header.Clone()
	out.Header.Del("Connection")
	return p.up.Do(out)
}

// send makes a request of the proxy's own and returns the status of its response.
func (p *proxy) send(ctx context.Context, r *http.Request, method string, body []byte) int {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	resp, err := p.request(ctx, r, method, body)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

// events hands the events of a stream on, one after the other.
func (p *proxy) events(w http.ResponseWriter, r *http.Request, from io.Reader) {
	flush := func(b []byte) {
		_, err := w.Write(b)
		if err = errors.Join(err, http.NewResponseController(w).Flush()); err != nil {
			panic(http.ErrAbortHandler)
		}
	}
	flush(nil)
	in := bufio.NewReader(from)
	for n := 0; ; n++ {
		event, err := readEvent(in)
		data := payload(event)
		p.note(r, "event", event)
		if p.cuts(data) && p.once(data) {
			p.note(r, "cut", nil)
			if p.half {
				flush(event[:len(event)/2])
			} else {
				flush(event)
			}
			if p.end {
				return
			}
			panic(http.ErrAbortHandler)
		}
		if len(event) > 0 {
			flush(event)
		}
		switch {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			panic(http.ErrAbortHandler)
		case p.junk == "client" && len(data) > 0:
			flush(junkEvent(n))
			p.once(data)
		}
	}
}

// refuses reports whether a client that comes back is turned away.
func (p *proxy) refuses() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse--
	return p.refuse >= 0
}

func (p *proxy) cuts(data []byte) bool {
	for _, text := range p.cut {
		if bytes.Contains(data, []byte(text)) {
			return true
		}
	}
	return false
}

// readEvent returns the bytes of one event with the empty line at its end, or with an
// error what was left.
func readEvent(in *bufio.Reader) (event []byte, err error) {
	for {
		line, err := in.ReadBytes('\n')
		event = append(event, line...)
		if err != nil || len(bytes.TrimRight(line, "\r\n")) == 0 {
			return event, err
		}
	}
}

// payload returns the data of an event.
func payload(event []byte) (data []byte) {
	for line := range bytes.Lines(event) {
		if rest, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(data, bytes.TrimSpace(rest)...)
		}
	}
	return data
}
