package remote

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// Which redirects net/http may follow by itself: those of a request without a message that stays what it
// is, at the same origin, so many of them and no more, as the owner of the client says.
func TestFollow(t *testing.T) {
	stop := errors.New("the owner says no")
	request := func(method, at string) *http.Request {
		u, err := url.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		return &http.Request{Method: method, URL: u}
	}
	const here = "https://example.com/mcp"
	for _, c := range []struct {
		first, method, to string
		hops              int // that were followed, the first request included
		owner             error
		want              string // "" if it is followed, "last" if the answer counts
	}{
		{"GET", "GET", "https://example.com/x", 1, nil, ""},
		{"GET", "GET", "https://EXAMPLE.com:443/x", 1, nil, ""},
		{"DELETE", "DELETE", "https://example.com/x", 1, nil, ""},
		{"GET", "GET", "https://example.com/x", maxRedirects, nil, ""},
		{"GET", "GET", "https://example.com/x", maxRedirects + 1, nil, "remote: too many redirects"},
		{"GET", "GET", "https://example.com/x", 1, stop, stop.Error()},
		{"GET", "GET", "https://example.com/x", maxRedirects + 1, stop, "remote: too many redirects"},
		{"DELETE", "GET", "https://example.com/x", 1, nil, "last"},
		{"DELETE", "GET", "https://example.com/x", 1, stop, "last"},
		{"POST", "POST", "https://example.com/x", 1, nil, "last"},
		{"POST", "GET", "https://example.com/x", 1, nil, "last"},
		{"GET", "GET", "http://example.com/x", 1, nil, "last"},
		{"GET", "GET", "https://example.com:444/x", 1, stop, "last"},
		{"GET", "GET", "https://example.org/x", 1, nil, "last"},
	} {
		asked := 0
		from := &http.Client{Timeout: 1}
		if c.owner != nil {
			from.CheckRedirect = func(req *http.Request, via []*http.Request) error {
				if asked++; req.URL.String() != c.to || len(via) != c.hops {
					t.Errorf("%+v: the owner is asked of %v", c, req.URL)
				}
				return c.owner
			}
		}
		hc, _, own := newClient(from)
		via := []*http.Request{request(c.first, here)}
		for len(via) < c.hops {
			via = append(via, request(c.first, here+"/again"))
		}
		got := ""
		switch err := hc.CheckRedirect(request(c.method, c.to), via); {
		case errors.Is(err, http.ErrUseLastResponse):
			got = "last"
		case err != nil:
			got = err.Error()
		}
		if got != c.want || (asked > 0) != (c.want == stop.Error()) {
			t.Errorf("%s, %s to %s after %d: %q, the owner asked %d times; want %q", c.first, c.method, c.to, c.hops, got, asked, c.want)
		}
		if own || hc.Timeout != 0 || from.Timeout != 1 {
			t.Errorf("own %v, %v, %v", own, hc.Timeout, from.Timeout)
		}
	}
}

// What a server of HTTP/2 says of a request that it did nothing with: REFUSED_STREAM, as an error of
// net/http or in the text of one, and GOAWAY. All else may have done something.
func TestUnprocessed(t *testing.T) {
	reset := func(code uint32) error { return streamError{StreamID: 3, Code: code} }
	for _, c := range []struct {
		err  error
		want bool
	}{
		{reset(7), true},
		{fmt.Errorf("sent: %w", reset(7)), true},
		{reset(0), false}, {reset(6), false}, {reset(8), false}, {reset(11), false},
		{errors.New("http2: Transport: cannot retry err [stream error: stream ID 1; REFUSED_STREAM; received from peer] after Request.Body was written; define Request.GetBody to avoid this error"), true},
		{errors.New("http2: Transport: cannot retry err [http2: Transport received Server's graceful shutdown GOAWAY] after Request.Body was written"), true},
		{errors.New("http2: Transport: cannot retry err [stream error: stream ID 1; INTERNAL_ERROR; received from peer] after Request.Body was written"), false},
		{errors.New("http2: Transport: cannot retry err [read: REFUSED_STREAM] after"), false},
		{errors.New("http2: Transport: cannot retry err [x; REFUSED_STREAM] after"), false},
		{errors.New("stream error: stream ID 1; REFUSED_STREAM; received from peer"), false},
		{errors.New("http2: Transport received Server's graceful shutdown GOAWAY"), false},
		{io.ErrUnexpectedEOF, false},
		{errors.New(""), false},
	} {
		if got := unprocessed(c.err); got != c.want {
			t.Errorf("%v: %v", c.err, got)
		}
	}
}

// What is coded and cannot be decoded says so each time, and what is not coded is read as it is.
func TestDecoded(t *testing.T) {
	body := func(coding, text string) io.Reader {
		return decoded(&http.Response{Header: http.Header{"Content-Encoding": {coding}}, Body: io.NopCloser(strings.NewReader(text))})
	}
	var zipped strings.Builder
	w := gzip.NewWriter(&zipped)
	_, _ = io.WriteString(w, "plain")
	_ = w.Close()
	for coding, text := range map[string]string{"": "plain", "identity": "plain", "Identity": "plain", "gzip": zipped.String(), "X-GZIP": zipped.String()} {
		if got, err := io.ReadAll(body(coding, text)); string(got) != "plain" || err != nil {
			t.Errorf("%q: %q, %v", coding, got, err)
		}
	}
	for coding, text := range map[string]string{"gzip": "no gzip at all", "x-gzip": "", "br": "plain", "gzip, gzip": zipped.String()} {
		r := body(coding, text)
		for range 2 {
			if n, err := r.Read(make([]byte, 9)); n != 0 || err == nil {
				t.Errorf("%q: %d bytes, %v", coding, n, err)
			}
		}
	}
	if r := body("gzip", zipped.String()[:zipped.Len()-4]); r != nil {
		if _, err := io.ReadAll(r); err == nil {
			t.Error("what is cut is whole")
		}
	}
}

// roundTrip is an http.RoundTripper.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A pool of connections may say what it wrote of a request after it has returned the answer, as net/http does: the
// hooks that it calls then are not set anew for the next hop, which the race detector would see.
func TestHooksOutliveTheirHop(t *testing.T) {
	var late sync.WaitGroup
	hops := 0
	pool := roundTrip(func(r *http.Request) (*http.Response, error) {
		trace, header, status := httptrace.ContextClientTrace(r.Context()), http.Header{}, http.StatusAccepted
		if trace.WroteHeaders(); hops < maxRedirects {
			header.Set("Location", fmt.Sprint("/", hops))
			status = http.StatusTemporaryRedirect
		}
		hops++
		late.Go(func() { trace.WroteRequest(httptrace.WroteRequestInfo{}) })
		return &http.Response{StatusCode: status, Header: header, Body: http.NoBody, Request: r}, nil
	})
	tr, err := New("http://127.0.0.1/mcp", Options{Client: &http.Client{Transport: pool}})
	if err != nil {
		t.Fatal(err)
	}
	in := tr.(*transport)
	s := in.newSession()
	p := &post{s: s}
	k := &talk{s: s, p: p, by: p, ctx: t.Context()}
	resp, err := k.do(t.Context(), http.MethodPost, in.url, []byte("{}"), nil)
	if err != nil || resp.StatusCode != http.StatusAccepted || hops != maxRedirects+1 {
		t.Error(resp, err, hops)
	}
	late.Wait()
	if err := tr.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
