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

// do sends a request and returns the response once its header has arrived. A POST that is
// redirected within the origin with its method is repeated there.
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

// traced returns a context with hooks that record what was written. They are set once, because net/http may
// still call those of a request whose response it has returned.
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

// elsewhere returns the url of a redirect that keeps the method and the origin; "" if the
// response is none.
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
	if to == t.url { // which is already parsed
		req = t.blank.WithContext(ctx)
		if req.Method = method; t.pool == nil || method != http.MethodPost { // others may change what they get
			at := *req.URL
			req.URL = &at
		}
	} else {
		var err error
		if req, err = http.NewRequestWithContext(ctx, method, to, nil); err != nil {
			return nil, err
		}
	}
	if body != nil {
		// With another type of body net/http would flush the header separately, in case the body is slow.
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		if !t.h2.Load() || !k.p.request() {
			// Over HTTP/2 net/http also repeats a request by itself after a reset with
			// PROTOCOL_ERROR, which a server may send after it has done the work.
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

// reason returns why a connection failed: the cause of ctx, if it was cut. It omits the
// url, which may contain secrets.
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

// delivery returns how far a request that failed with err got.
func (k *talk) delivery(err error) lifecycle.Delivery {
	switch {
	case !k.wrote.Load():
		return lifecycle.NotSent
	case unprocessed(err):
		return lifecycle.Rejected
	}
	return lifecycle.MayHaveRun
}

// refusedStream is the code by which an HTTP/2 server reports that it did nothing with a request
// (RFC 9113, section 8.7).
const refusedStream = 7

// unprocessed reports whether an HTTP/2 server has reported that it did nothing with a request: by
// REFUSED_STREAM, or by GOAWAY with the number of an earlier stream. For GOAWAY, and for a
// REFUSED_STREAM that it could not repeat, net/http says so only in the error text. Any other text
// means that the server did not report it.
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

// streamError has the fields of net/http's error for a reset stream, which errors.As can convert to
// this type.
type streamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

// Error implements error.
func (streamError) Error() string { return "http2: stream error" }

// decoded returns the body of a response, decoded if a server compressed it unasked. If the coding
// is unknown, reading fails.
func decoded(resp *http.Response) io.Reader {
	switch coding := strings.ToLower(resp.Header.Get("Content-Encoding")); coding {
	case "", "identity":
		return resp.Body
	case "gzip", "x-gzip":
		return &unzipped{from: resp.Body}
	default:
		return failing{fmt.Errorf("remote: unrequested Content-Encoding %.64q", coding)}
	}
}

// unzipped reads gzip. It reads nothing before the first Read, because reading may block.
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

// failing is a body whose Read fails.
type failing struct{ err error }

// Read implements io.Reader.
func (f failing) Read([]byte) (int, error) { return 0, f.err }
