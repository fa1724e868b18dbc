package authz

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"
)

// A Handler serves a World over HTTP. The host of a url is the Host of the request.
type Handler struct {
	mu     sync.Mutex
	World  *World           // under Lock
	Now    func() time.Time // the time
	Scheme string           // "http" if empty
	Next   http.Handler     // handles requests with a valid token
}

// Serve serves the simplest World over loopback: a resource at the path /mcp, whose valid tokens reach next, and
// an authorization server that registers clients. The caller closes the Server.
func Serve(next http.Handler) (*Handler, *httptest.Server) {
	h := &Handler{Now: time.Now, Next: next}
	s := httptest.NewServer(h)
	h.Lock()
	defer h.Unlock()
	h.World = &World{
		Resources: []*Resource{{URL: s.URL + "/mcp", Issuers: []string{s.URL + "/as"}, Forms: InChallenge, Scopes: []string{"tools"}, Need: []string{"tools"}, Hint: true}},
		Issuers:   []*Issuer{{ID: s.URL + "/as", Forms: OAuth, DCR: true, Methods: []string{"none"}, Scopes: []string{"tools"}}},
	}
	return h, s
}

// Lock blocks requests while a test reads the World.
func (h *Handler) Lock() { h.mu.Lock() }

// Unlock admits them again.
func (h *Handler) Unlock() { h.mu.Unlock() }

// ServeHTTP implements http.Handler. A Response with Status 0 closes the connection.
func (h *Handler) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	in := Request{Method: r.Method, URL: "http://" + r.Host + r.URL.RequestURI(), Header: map[string]string{}}
	if h.Scheme != "" {
		in.URL = h.Scheme + in.URL[len("http"):]
	}
	for name := range r.Header {
		in.Header[name] = r.Header.Get(name)
	}
	h.mu.Lock()
	place, _, _ := h.World.find(in.URL)
	h.mu.Unlock()
	if place != Guarded { // next reads the body of a message
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		in.Body = string(body)
	}
	h.mu.Lock()
	out := h.World.Serve(h.Now(), in)
	h.mu.Unlock()
	if out.Status == 0 {
		panic(http.ErrAbortHandler)
	}
	if place == Guarded && out.Status == 200 && h.Next != nil {
		h.Next.ServeHTTP(rw, r)
		return
	}
	for name, v := range out.Header {
		rw.Header().Set(name, v)
	}
	rw.WriteHeader(out.Status)
	_, _ = io.WriteString(rw, out.Body) // the client may have left
}
