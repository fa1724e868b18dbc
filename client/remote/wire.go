package remote

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/headers"
)

// do makes a request and returns the answer, once its head is there. A POST that is redirected
// within the origin, and stays one, is made again there.
func (k *talk) do(ctx context.Context, method, to string, body []byte, fields []headers.Field) (*http.Response, error) {
	t := k.s.t
	ctx = k.traced(ctx)
	var via []*http.Request
	for nonced := false; ; {
		req, err := k.make(ctx, method, to, body, fields)
		if err != nil {
			return nil, err
		}
		if len(via) > 0 && t.redirect != nil {
			if err = t.redirect(req, via); err != nil {
				return nil, err
			}
		}
		k.wrote.Store(false)
		resp, err := t.trip(req)
		if err != nil {
			return nil, err
		}
		if resp.ProtoMajor == 2 {
			t.h2.Store(true)
		}
		if resp.Request == nil { // an http.RoundTripper need not set it
			resp.Request = req
		}
		if k.nonced(resp) && !nonced {
			_ = resp.Body.Close()
			nonced = true
			continue
		}
		next := elsewhere(resp)
		if method != http.MethodPost || next == "" || len(via) == maxRedirects {
			return resp, nil
		}
		_ = resp.Body.Close()
		to, via = next, append(via, req)
	}
}

// traced returns a context with the hooks that tell what was written. They are set once: net/http may still call those
// of a request whose answer it has returned.
func (k *talk) traced(ctx context.Context) context.Context {
	if k.trace.WroteHeaders == nil {
		k.trace.WroteHeaders = func() { k.wrote.Store(true) }
		k.trace.WroteRequest = func(info httptrace.WroteRequestInfo) {
			if info.Err == nil && k.p != nil {
				k.by.wrote()
			}
		}
	}
	return httptrace.WithClientTrace(ctx, &k.trace)
}

// elsewhere returns where a request is to be made instead, as it is and at the same origin; "" if
// not.
func elsewhere(resp *http.Response) string {
	if resp.StatusCode != http.StatusTemporaryRedirect && resp.StatusCode != http.StatusPermanentRedirect {
		return ""
	}
	u, err := resp.Location()
	if err != nil || !sameOrigin(u, resp.Request.URL) || u.User != nil {
		return ""
	}
	return u.String()
}

// make returns a request.
func (k *talk) make(ctx context.Context, method, to string, body []byte, fields []headers.Field) (*http.Request, error) {
	t := k.s.t
	var req *http.Request
	if to == t.url { // which was read before
		req = t.blank.WithContext(ctx)
		at := *req.URL
		req.Method, req.URL = method, &at
	} else {
		var err error
		if req, err = http.NewRequestWithContext(ctx, method, to, nil); err != nil {
			return nil, err
		}
	}
	if body != nil {
		// A body of another type would have net/http write the head by itself, in case the body takes its time.
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		if !t.h2.Load() || !k.p.request() {
			// Over HTTP/2 net/http makes a request again by itself if it has been reset with
			// PROTOCOL_ERROR, too, which a server may do that has done the work.
			req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
		}
	}
	req.Header = make(http.Header, 8)
	maps.Copy(req.Header, t.opt.Header.Clone())
	values := make([]string, len(fields))
	for i, f := range fields {
		values[i] = f.Value
		req.Header[http.CanonicalHeaderKey(f.Name)] = values[i : i+1 : i+1]
	}
	return req, k.sign(req)
}

// reason returns why a connection failed: what it was cut for, if it was cut. The url is
// left out, since it may have secrets.
func reason(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// delivery returns how far the request came that failed with err.
func (k *talk) delivery(err error) lifecycle.Delivery {
	switch {
	case !k.wrote.Load():
		return lifecycle.NotSent
	case unprocessed(err):
		return lifecycle.Rejected
	}
	return lifecycle.MayHaveRun
}

// refusedStream is the code by which a server of HTTP/2 says that it has done nothing with a request
// (RFC 9113, section 8.7).
const refusedStream = 7

// unprocessed reports whether a server of HTTP/2 has said that it did nothing with a request: by
// REFUSED_STREAM, or by GOAWAY with the number of an earlier stream. net/http says the latter, and of
// the former what it could not make again, in its text alone. Another text counts as nothing said.
func unprocessed(err error) bool {
	var reset streamError
	if errors.As(err, &reset) {
		return reset.Code == refusedStream
	}
	text, ok := strings.CutPrefix(err.Error(), "http2: Transport: cannot retry err [")
	if !ok {
		return false
	}
	text, _, _ = strings.Cut(text, "]")
	_, code, _ := strings.Cut(text, ";")
	return strings.HasPrefix(text, "stream error: stream ID ") && strings.HasPrefix(code, " REFUSED_STREAM") ||
		text == "http2: Transport received Server's graceful shutdown GOAWAY"
}

// streamError has the fields of the error of net/http for a stream that was reset, which makes itself
// one of these for errors.As.
type streamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

// Error implements error.
func (streamError) Error() string { return "http2: stream error" }

// decoded returns the body of an answer without the coding that some servers give it unasked. What
// cannot be decoded says so when it is read.
func decoded(resp *http.Response) io.Reader {
	switch coding := strings.ToLower(resp.Header.Get("Content-Encoding")); coding {
	case "", "identity":
		return resp.Body
	case "gzip", "x-gzip":
		return &unzipped{from: resp.Body}
	default:
		return failing{fmt.Errorf("remote: the answer has the Content-Encoding %.64q, which was not asked for", coding)}
	}
}

// unzipped reads gzip. Nothing is read before the first Read, which may wait.
type unzipped struct {
	from io.Reader
	zip  *gzip.Reader
}

// Read implements io.Reader.
func (u *unzipped) Read(p []byte) (n int, err error) {
	if u.zip == nil {
		if u.zip, err = gzip.NewReader(u.from); err != nil {
			return 0, err
		}
	}
	return u.zip.Read(p)
}

// failing is a body that cannot be read.
type failing struct{ err error }

// Read implements io.Reader.
func (f failing) Read([]byte) (int, error) { return 0, f.err }
