package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/sansmcp/mcp/conformance/proxy"
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

// disturber disturbs what passes a proxy.
type disturber struct {
	disturb
	again func() error // starts the server anew

	mu    sync.Mutex
	done  map[string]bool // the messages that were disturbed
	n     int             // disturbances
	wrong error           // what the server did that it must not
}

// fault returns what the server did that it must not.
func (p *disturber) fault() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.wrong
}

// note writes what passes to standard error, if that is asked for.
func (p *disturber) note(x *proxy.Exchange, what string, text []byte) {
	if p.trace {
		log.Printf("%s %p %s %.300q", x.Request.Method, x, what, text)
	}
}

// fail keeps the first fault.
func (p *disturber) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wrong == nil {
		p.wrong = err
	}
}

// once reports whether a message has not been disturbed before, and counts it.
func (p *disturber) once(message []byte) bool {
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

func (p *disturber) write() error {
	if p.report == "" {
		return nil
	}
	return os.WriteFile(p.report, fmt.Appendln(nil, p.n), 0o644)
}

// serve hands a request on and its response back.
func (p *disturber) serve(x *proxy.Exchange) {
	r := x.Request
	if p.old && r.Method == http.MethodPost && r.URL.RawQuery == "" {
		http.Error(x, "HTTP+SSE only", http.StatusMethodNotAllowed)
		return
	}
	p.note(x, "after event "+r.Header.Get("Last-Event-Id"), x.Body)
	if r.Method == http.MethodPost {
		p.before(x, r.Header.Get(sessionHeader) != "")
	}
	if r.Header.Get("Last-Event-Id") != "" && p.refuses() {
		http.Error(x, "not now", http.StatusServiceUnavailable)
		return
	}
	resp, err := x.Send(r.Context(), r.Method, x.Body)
	if err != nil {
		x.Cut(false)
	}
	defer resp.Body.Close()
	p.note(x, resp.Status, []byte(resp.Header.Get("Content-Type")))
	x.Head(resp)
	n := 0
	for piece, err := range proxy.Pieces(resp) {
		data, _ := proxy.Field(piece, "data")
		p.note(x, "event", piece)
		if p.cuts(data) && p.once(data) {
			p.note(x, "cut", nil)
			if p.half {
				piece = piece[:len(piece)/2]
			}
			if x.Give(piece); p.end {
				return
			}
			x.Cut(false)
		}
		x.Give(piece)
		if err != nil {
			x.Cut(false)
		}
		if p.junk == "client" && len(data) > 0 {
			x.Give(junkEvent(n))
			p.once(data)
		}
		n++
	}
}

// before does what comes before a POST.
func (p *disturber) before(x *proxy.Exchange, session bool) {
	if p.junk == "server" && session {
		p.postJunk(x)
	}
	if p.expire != "" && session && bytes.Contains(x.Body, []byte(p.expire)) && p.once(x.Body) {
		p.send(x, http.MethodDelete, nil)
	}
	if p.restart != "" && bytes.Contains(x.Body, []byte(p.restart)) && p.once(x.Body) {
		if err := p.again(); err != nil {
			p.fail(err)
		}
	}
}

// send makes a request of the proxy's own and returns the status of its response.
func (p *disturber) send(x *proxy.Exchange, method string, body []byte) int {
	ctx, cancel := context.WithTimeout(x.Request.Context(), 10*time.Second)
	defer cancel()
	resp, err := x.Send(ctx, method, body)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

// refuses reports whether a client that comes back is turned away.
func (p *disturber) refuses() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse--
	return p.refuse >= 0
}

func (p *disturber) cuts(data []byte) bool {
	for _, text := range p.cut {
		if bytes.Contains(data, []byte(text)) {
			return true
		}
	}
	return false
}
