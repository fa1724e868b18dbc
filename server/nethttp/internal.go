package nethttp

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"net/url"
)

// Internal returns the handler of the requests that other processes pass on to this one, for a separate listener at
// Options.Internal.URL in a private network. Serve it as long as the Handler runs: others consider a process dead that
// refuses connections there. It answers 403 to a sender that does not have Config.HashKey. What passes between
// processes is not encrypted unless the URL is https.
func (h *Handler) Internal() http.Handler { return http.HandlerFunc(h.serveInternal) }

func (h *Handler) serveInternal(w http.ResponseWriter, r *http.Request) {
	t, ok := h.internal.unseal(r.Header.Get(ticketHeader))
	if !ok || t.Method != r.Method || t.Known != (h.opt.Authenticate != nil) || h.opt.Internal.URL == "" {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	if !h.isAt(t.To) && t.To != h.id() {
		w.Header().Set(ticketHeader, ended)
		w.WriteHeader(http.StatusMisdirectedRequest)
		return
	}
	if t.Method == http.MethodHead { // it asks whether this process is alive
		w.WriteHeader(http.StatusNoContent)
		return
	}
	in := (&http.Request{
		Method: t.Method, URL: &url.URL{Path: "/", RawQuery: t.Query}, Header: t.Header, RemoteAddr: t.Remote,
		Proto: r.Proto, ProtoMajor: r.ProtoMajor, ProtoMinor: r.ProtoMinor, ContentLength: r.ContentLength,
	}).WithContext(r.Context())
	sum := sha256.New()
	in.Body = &summed{ReadCloser: r.Body, sum: sum, have: sum.Sum, want: t.Sum}
	if in.Header == nil {
		in.Header = http.Header{}
	}
	h.serve(w, in, &t)
}

// summed is a body whose last read fails if its sum is not the expected one.
type summed struct {
	io.ReadCloser
	sum  io.Writer
	have func([]byte) []byte
	want []byte
}

var errSum = errors.New("nethttp: the body of a request that was passed on is another one")

func (s *summed) Read(b []byte) (int, error) {
	n, err := s.ReadCloser.Read(b)
	_, _ = s.sum.Write(b[:n])
	if errors.Is(err, io.EOF) && !bytes.Equal(s.have(nil), s.want) {
		err = errSum
	}
	return n, err
}
