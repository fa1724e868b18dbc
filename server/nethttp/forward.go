package nethttp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"sync/atomic"
	"time"

	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server/internal/cluster"
)

// maxForwards is how often a request is passed on whose process turns out to be dead, or not to be the home any more.
const maxForwards = 4

// Why a request that was passed on ended.
var (
	errEnded       = errors.New("nethttp: no process has the id of the home")
	errMisdirected = errors.New("nethttp: the process is not the home by now")
	errHomeLost    = errors.New("nethttp: another process is the home by now, or none")
	errRevoked     = errors.New("nethttp: the principal was revoked")

	errHandlerClosed = errors.New("nethttp: the Handler is closed")
)

// forward passes the request on to the home of its session, or where its state belongs. It reports true if nothing was
// done there, and the request can be tried again here: the home is dead, or is another one. What a process may have read
// is not passed on again.
func (x *exchange) forward(again bool) bool {
	h, home, retry := x.h, x.away.home, x.away.retry
	x.away = nil
	if n := int64(len(x.body)); n >= writeBytes { // it is held until the other process has answered
		defer h.reading.Add(-n)
		if all := h.reading.Add(n); all > int64(h.opt.BodyBytes) && all > n {
			x.refuse(h.busy())
			return false
		}
	}
	ctx, cancel := context.WithCancelCause(x.r.Context())
	defer cancel(nil)
	out, err := x.passedOn(ctx, home)
	if err != nil {
		x.refuse(broken())
		return false
	}
	_ = x.rc.SetReadDeadline(time.Time{}) // that of the server is for requests
	w := &paced{x: x}
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		ask := x.homeLost
		if retry {
			ask = h.replies
		}
		x.watchHome(ctx, cancel, home, w, ask)
	}()
	defer func() { // also if the copy is aborted by a panic
		cancel(nil)
		<-watched
	}()
	proxy := httputil.ReverseProxy{
		Rewrite: func(*httputil.ProxyRequest) {}, Transport: h.internal.transport, FlushInterval: -1,
		ErrorLog: slog.NewLogLogger(h.opt.Log.Handler(), slog.LevelDebug),
		ModifyResponse: func(r *http.Response) error {
			switch {
			case r.StatusCode != http.StatusMisdirectedRequest:
				return nil
			case r.Header.Get(ticketHeader) == ended:
				return errEnded
			}
			return errMisdirected
		},
		ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, e error) { err = e },
	}
	proxy.ServeHTTP(w, out)
	switch {
	case err == nil, x.r.Context().Err() != nil:
		return false
	case retry && (errors.Is(err, errEnded) || refused(err)):
		x.refuse(&headers.Refusal{Status: http.StatusOK, Err: processLost})
		return false
	case retry && unreached(err):
		x.refuse(later("the process that has the call cannot be reached"))
		return false
	case again && errors.Is(err, errMisdirected):
		return true
	case again && (errors.Is(err, errEnded) || refused(err)) && h.bury(home.Process, x.session(), false) == nil:
		return true // it is dead, and what it had of the session is ended
	case errors.Is(err, errMisdirected), errors.Is(err, errEnded), unreached(err), x.r.Method == http.MethodGet:
		x.refuse(away())
	default:
		x.refuse(lost())
	}
	return false
}

// unreached reports whether there was no connection.
func unreached(err error) bool {
	var dial *net.OpError
	return errors.As(err, &dial) && dial.Op == "dial"
}

// session returns the session that the request names.
func (x *exchange) session() string {
	if x.legacy {
		return x.r.URL.Query().Get(legacySession)
	}
	return x.head.Session
}

// passedOn returns the request that another process gets. Its body cannot be sent twice but where nothing was written.
func (x *exchange) passedOn(ctx context.Context, home cluster.Entry) (*http.Request, error) {
	var body io.Reader
	if len(x.body) > 0 {
		body = bytes.NewReader(x.body)
	}
	sum := sha256.Sum256(x.body)
	return x.h.internal.request(ctx, home.Address, body, ticket{
		To: home.Process, Method: x.r.Method, Query: x.r.URL.RawQuery, Header: passed(x.r.Header), Remote: x.r.RemoteAddr,
		Known: x.h.opt.Authenticate != nil, Who: []byte(x.who.ID), Expires: micros(x.who.Expires), Sum: sum[:],
	})
}

// watchHome ends a request that was passed on to a process that is silent, once that is gone or nothing was known of it
// for takenOver leases; and one whose principal was revoked.
func (x *exchange) watchHome(ctx context.Context, cancel context.CancelCauseFunc, home cluster.Entry, w *paced, ask func(context.Context, cluster.Entry) (gone, known bool)) {
	revoked := x.revoked()
	timer := time.NewTimer(x.h.opt.Lease / 3)
	for heard := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-revoked:
			cancel(errRevoked)
			return
		case <-x.h.ctx.Done():
			cancel(errHandlerClosed)
			return
		case <-timer.C:
		}
		gone, known := false, true
		if w.writes.Swap(0) == 0 {
			gone, known = ask(ctx, home)
		}
		switch {
		case gone, !known && time.Since(heard) >= takenOver*x.h.opt.Lease:
			cancel(errHomeLost)
			return
		case known:
			heard = time.Now()
		}
		wait := x.h.opt.Lease
		if !w.begun.Load() {
			wait /= 3
		}
		timer.Reset(wait)
	}
}

// homeLost reports whether a process is not the home of the session any more; known is false if the store does not say.
func (x *exchange) homeLost(ctx context.Context, home cluster.Entry) (gone, known bool) {
	r, err := x.h.opt.Store.Get(ctx, x.session())
	is, ok := r.owners.Home()
	return err == nil && (!ok || is.Process != home.Process), err == nil
}

// paced writes the response of another process: each write has WriteTimeout.
type paced struct {
	x      *exchange
	begun  atomic.Bool
	writes atomic.Int64
}

func (p *paced) Header() http.Header { return p.x.w.Header() }

func (p *paced) WriteHeader(status int) {
	p.x.deadline()
	p.begun.Store(true)
	p.x.w.WriteHeader(status)
}

func (p *paced) Write(b []byte) (int, error) {
	p.x.deadline()
	p.writes.Add(1)
	return p.x.w.Write(b)
}

// FlushError sends what is written.
func (p *paced) FlushError() error {
	p.x.deadline()
	return p.x.rc.Flush()
}
