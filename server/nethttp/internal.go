package nethttp

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"net/url"
)

// Internal returns the handler for requests that other processes forward to this one. Serve it on a separate listener
// at Options.Internal.URL, in a private network, while the Handler runs: other processes assume that one that refuses
// connections there is dead. It answers 403 to requests that were not made with Config.HashKey. They are not
// encrypted unless the URL is https.
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
	if t.Method == http.MethodHead { // it is asked whether this process lives
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

// summed is a body that is not read to its end if it is another one than it was.
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
