package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/sse"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/headers"
)

// postOld posts a message, whose answer arrives on the stream. The body of the response has
// no meaning; it is read only so that the connection can be reused.
func (k *talk) postOld(endpoint string, body []byte) error {
	resp, err := k.doOld(headers.MethodPost, endpoint, body, []headers.Field{{Name: headers.ContentType, Value: headers.JSON}})
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	k.by.accepted("")
	watch := time.AfterFunc(linger, func() { _ = resp.Body.Close() })
	defer watch.Stop()
	_, _ = io.CopyN(io.Discard, resp.Body, 4<<10)
	return nil
}

// doOld sends a request, with another token if the server requires one. A status other
// than 2xx is an error.
func (k *talk) doOld(method, to string, body []byte, fields []headers.Field) (*http.Response, error) {
	t := k.s.t
	for logins := 0; ; logins++ {
		if !k.authorize() {
			return nil, &lostError{Failure: exchange.Failure{Reason: exchange.Unauthorized}, Err: k.fatal}
		}
		ctx, cut := context.WithCancelCause(k.ctx)
		watch := time.AfterFunc(t.opt.HeaderTimeout, func() { cut(errIdle) })
		if k.p.request() { // some servers process a request before they accept it
			watch.Stop()
		}
		resp, err := k.do(ctx, method, to, body, fields)
		watch.Stop()
		if err != nil {
			err = reason(ctx, err)
			cut(nil)
			f := exchange.Failure{Reason: exchange.NoResponse}
			switch k.delivery(err) {
			case lifecycle.NotSent:
				f.Reason = exchange.NotSent
			case lifecycle.Rejected:
				f.Reason = exchange.Rejected
			}
			return nil, &lostError{Failure: f, Err: err}
		}
		resp.Body = closer{resp.Body, func() { cut(nil) }}
		if resp.StatusCode/100 == 2 {
			k.took(resp.StatusCode)
			return resp, nil
		}
		h := exchange.Read(resp.StatusCode, resp.Header.Values)
		_ = resp.Body.Close()
		f := exchange.Failure{Reason: exchange.Refused, Status: h.Status, After: h.RetryAfter}
		if c, _ := headers.ParseChallenge(h.Authenticate); h.Status == http.StatusUnauthorized || h.Status == http.StatusForbidden {
			f.Reason = exchange.Unauthorized
			if f.Challenge = c; t.auth != nil && wantsToken(f) && logins < t.opt.Exchange.Logins {
				if err = k.reauthorize(f); err == nil {
					continue
				}
			}
		}
		return nil, &lostError{Failure: f, Err: err}
	}
}

// closer is a body that calls after when it is closed.
type closer struct {
	io.ReadCloser
	after func()
}

// Close implements io.Closer.
func (c closer) Close() error {
	err := c.ReadCloser.Close()
	c.after()
	return err
}

// streamOld reads the stream of a session, which p waits for. ready gets nil once the server has named its
// endpoint, or the reason why it did not. After that, the end of the stream ends the session.
func (s *serverSession) streamOld(p *post, ready chan<- error) {
	t := s.t
	k := &talk{s: s, waits: p, ctx: s.ctx}
	resp, err := k.doOld(headers.MethodGet, t.url, nil, []headers.Field{{Name: headers.Accept, Value: headers.EventStream}})
	if err != nil {
		ready <- err
		return
	}
	defer func() { _ = resp.Body.Close() }()
	if !headers.IsEventStream(resp.Header.Get(headers.ContentType)) {
		ready <- &lostError{Failure: exchange.Failure{Reason: exchange.WrongType, Status: resp.StatusCode}}
		return
	}
	d := sse.NewDecoder(t.opt.Exchange.MaxBytes)
	buf := make([]byte, 8<<10)
	watch := time.AfterFunc(t.opt.HeaderTimeout, func() { _ = resp.Body.Close() })
	defer watch.Stop()
	open := false
	for {
		n, err := resp.Body.Read(buf)
		d.Push(buf[:n])
		for e, ok := d.Next(); ok; e, ok = d.Next() {
			switch {
			case open && (e.Name == "" || e.Name == "message") && e.Data != "":
				k.deliver(jsonrpc.Decoder{MaxBytes: t.opt.Exchange.MaxBytes}.DecodeString(e.Data))
			case !open && e.Name == "endpoint":
				watch.Stop()
				endpoint, err := endpointOf(resp.Request.URL, e.Data)
				if err != nil {
					ready <- err
					return
				}
				t.mu.Lock()
				s.endpoint = endpoint
				t.mu.Unlock()
				open = true
				ready <- nil
			}
		}
		switch {
		case err == nil:
		case !open:
			ready <- fmt.Errorf("%w: %w", errEndpoint, err)
			return
		default:
			if s.ctx.Err() == nil {
				t.lose(s, nil, fmt.Errorf("%w: %w", errStream, err))
			}
			return
		}
	}
}

var errStream = errors.New("remote: the stream of the session has ended")

// endpointOf returns the url for messages. It must have the origin of the stream, because
// messages and tokens go to no other server.
func endpointOf(base *url.URL, ref string) (string, error) {
	u, err := base.Parse(ref)
	if err != nil || !sameOrigin(u, base) || u.User != nil {
		return "", errEndpoint
	}
	return u.String(), nil
}
