package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	servers "github.com/sansmcp/mcp/server/nethttp"
)

// settings are the flags.
type settings struct {
	sessions, calls, parallel int
	handlers                  int // that share the sessions
	seed                      uint64
	time                      time.Duration // no call begins later; 0 for no limit
	hang                      time.Duration // what takes longer counts as hanging
	rest                      time.Duration // how long goroutines may take to end
	revision                  protocol.Revision
	chaos                     chaos
	ends                      bool                            // some calls make the server forget their session
	vanish                    float64                         // the share of sessions whose client leaves without DELETE
	idle                      time.Duration                   // after which the server forgets those
	wrap                      func(http.Handler) http.Handler // a planted fault; nil for none
}

// load is one run.
type load struct {
	settings
	until   time.Time
	book    *book
	proxy   *cutter
	http    *http.Client
	servers []*servers.Handler
	server  *http.Server

	reopened, closings atomic.Int64
}

// report is the result of a run.
type report struct {
	calls, results, failures int
	kinds                    [kinds]int
	why                      map[string]int
	reopened, closings       int64
	connections, exchanges   int64
	cuts                     [fates]int64
	elapsed                  time.Duration
	before, peak, after      usage
}

// run makes one run and returns its report, and an error for any
// fault.
func run(ctx context.Context, set settings) (report, error) {
	if err := warm(ctx, set); err != nil {
		return report{}, fmt.Errorf("one session beforehand: %w", err)
	}
	crowd(set.sessions * crowdPerSession)
	r := report{before: rest(set.rest, usage{})}
	l, err := start(set)
	if err != nil {
		return r, err
	}
	watch := watchPeak()
	began := time.Now()
	l.work(ctx)
	err = l.stop(ctx)
	r.elapsed, r.peak = time.Since(began), watch()
	l.fill(&r)
	l = nil // with its book
	r.after = rest(set.rest, r.before)
	return r, errors.Join(err, r.leak(set.sessions))
}

// warm creates what a process creates once: one session, without cuts.
func warm(ctx context.Context, set settings) error {
	set.sessions, set.calls, set.chaos, set.wrap, set.ends = 1, 20, chaos{}, nil, false
	set.vanish = 0
	l, err := start(set)
	if err != nil {
		return err
	}
	l.work(ctx)
	return l.stop(ctx)
}

// connect makes the client of a session.
func (l *load) connect(s *user) (*session.Client, error) {
	c := l.http
	if s.vanishes() {
		c = &http.Client{Transport: silent{c.Transport}}
	}
	t, err := remote.New("http://"+l.proxy.Addr(), remote.Options{Client: c, HeaderTimeout: l.hang})
	if err != nil {
		return nil, err
	}
	return session.New(client.Config{
		Info: protocol.Implementation{Name: "load-client", Version: "1.0.0"}, Revisions: []protocol.Revision{l.revision},
		Serve:    []string{"sampling/createMessage"},
		Timeouts: lifecycle.Timeouts{Request: 2 * l.hang, Initialize: 2 * l.hang}, // the load itself decides what hangs
	}, watch(t, s.number, l.book), session.Options{
		Serve: s.serve, Event: func(_ *session.Client, ev client.Event) { s.heard(ev) },
	})
}

// work runs the sessions.
func (l *load) work(ctx context.Context) {
	var all sync.WaitGroup
	for i := range l.sessions {
		s := &user{number: i + 1, load: l}
		all.Go(func() { s.run(ctx) })
	}
	all.Wait()
}

// stop ends everything and returns the faults.
func (l *load) stop(ctx context.Context) error {
	l.http.CloseIdleConnections()
	l.forgotten()
	ctx, cancel := context.WithTimeout(ctx, l.hang)
	defer cancel()
	var err error
	for _, h := range l.servers {
		err = errors.Join(err, h.Shutdown(ctx))
	}
	err = errors.Join(err, l.server.Shutdown(ctx))
	l.proxy.Close()
	l.book.close()
	return errors.Join(err, l.book.err())
}

// forgotten waits until the server has forgotten the abandoned sessions.
func (l *load) forgotten() {
	if l.vanish == 0 {
		return
	}
	for until := time.Now().Add(l.idle + l.hang); ; time.Sleep(10 * time.Millisecond) {
		left := 0
		for _, h := range l.servers {
			left += h.Status().Sessions
		}
		if left == 0 {
			return
		}
		if time.Now().After(until) {
			l.book.report("session left", "%d sessions", left)
			return
		}
	}
}

// fill records the results of the run.
func (l *load) fill(r *report) {
	r.calls, r.results, r.failures, r.kinds = l.book.tally()
	r.why = l.book.failures
	r.reopened, r.closings = l.reopened.Load(), l.closings.Load()
	r.connections, r.exchanges = int64(l.proxy.Connections()), l.proxy.exchanges.Load()
	for f := range r.cuts {
		r.cuts[f] = l.proxy.cut[f].Load()
	}
}
