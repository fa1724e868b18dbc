package login

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/protocol/headers"
)

// closeTime is how long the end of the listener waits for the page to be sent.
const closeTime = 500 * time.Millisecond

// page is what a person sees after the redirect, whatever the answer says.
const page = `<!doctype html><meta charset="utf-8"><title>Answer received</title>` +
	`<p>The answer has been received. You can close this window and go back to the program.`

// redirectAt returns the redirect to an address of this machine.
func redirectAt(address string) string { return "http://" + address + "/callback" }

// freeRedirect returns a redirect to this machine with a port that is free: that of a registration, if it
// can be had, for there are authorization servers that take no other.
func freeRedirect(rec oauth.Record) (redirect string, err error) {
	var ports []string
	for _, k := range slices.Backward(rec.Registrations) { // the newest first
		if u, err := url.Parse(k.Redirect); err == nil && k.Redirect == redirectAt(u.Host) && u.Hostname() == "127.0.0.1" {
			ports = append(ports, u.Host)
		}
	}
	for _, at := range append(ports, "127.0.0.1:0") {
		var l net.Listener
		if l, err = net.Listen("tcp", at); err == nil {
			_ = l.Close()
			return redirectAt(l.Addr().String()), nil
		}
	}
	return "", err
}

// listen listens for the redirect, if it comes to this machine, until stop is called.
func (r *Runner) listen() (stop func(), err error) {
	to, err := url.Parse(r.config.Redirect)
	if err != nil || to.Scheme != "http" || !headers.Loopback(to.Hostname()) {
		return func() {}, err
	}
	at := to.Host
	if to.Port() == "" {
		at = net.JoinHostPort(to.Hostname(), "80")
	}
	l := r.held
	if r.held = nil; l == nil {
		if l, err = net.Listen("tcp", at); err != nil {
			return nil, err
		}
	}
	srv := &http.Server{
		Handler: r.callback(to), ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second, MaxHeaderBytes: 8 << 10,
		ErrorLog: log.New(io.Discard, "", 0),
	}
	srv.SetKeepAlivesEnabled(false)
	r.runs.Go(func() { _ = srv.Serve(l) })
	return func() {
		ctx, end := context.WithTimeout(context.Background(), closeTime)
		defer end()
		if srv.Shutdown(ctx) != nil {
			_ = srv.Close()
		}
	}, nil
}

// release gives up the address that is held.
func (r *Runner) release() {
	if r.held != nil {
		_ = r.held.Close()
		r.held = nil
	}
}

// callback answers those who come to the address of the redirect. What is not the answer that is waited for
// changes nothing.
func (r *Runner) callback(to *url.URL) http.Handler {
	path := to.EscapedPath()
	if path == "" {
		path = "/"
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		status := http.StatusOK
		switch {
		case !strings.EqualFold(req.Host, to.Host), req.URL.EscapedPath() != path:
			status = http.StatusNotFound
		case req.Method != http.MethodGet:
			status = http.StatusMethodNotAllowed
		default:
			r.mu.Lock()
			if !r.take(req.URL.RawQuery) {
				status = http.StatusBadRequest
			}
			r.mu.Unlock()
		}
		if status != http.StatusOK {
			http.Error(w, http.StatusText(status), status)
			return
		}
		h.Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, page)
	})
}
