package login

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/sansmcp/mcp/protocol/headers"
)

// closeTime is how long the end of the listener waits for the page to be sent.
const closeTime = 500 * time.Millisecond

// page is what a person sees who comes back, whatever the answer says.
const page = `<!doctype html><meta charset="utf-8"><title>Answer received</title>` +
	`<p>The answer has been received. You can close this window and go back to the program.`

// freeRedirect returns a url of this machine with a port that is free.
func freeRedirect() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer func() { _ = l.Close() }()
	return "http://" + l.Addr().String() + "/callback", nil
}

// listen listens for the redirect, if it comes to this machine, until stop is called.
func (r *Runner) listen() (stop func(), err error) {
	to, err := url.Parse(r.redirect)
	if err != nil || to.Scheme != "http" || !headers.Loopback(to.Hostname()) {
		return func() {}, err
	}
	at := to.Host
	if to.Port() == "" {
		at = net.JoinHostPort(to.Hostname(), "80")
	}
	l, err := net.Listen("tcp", at)
	if err != nil {
		return nil, err
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
