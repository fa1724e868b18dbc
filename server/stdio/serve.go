package stdio

import (
	"context"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/sansmcp/mcp/jsonrpc/pipe"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
)

// Options are the settings of a Server. A zero field means its default.
type Options struct {
	// Work bounds the functions that run.
	Work host.WorkOptions
	// Drain is how long calls may run after the end of input. Default host.DefaultDrain.
	Drain time.Duration
	// Companion, if set, returns the Companion of the session; see host.Options.
	Companion func(server.Peer) server.Companion
	// Log gets errors of this side; see host.Options. Default none.
	Log *slog.Logger
	// QueueBytes is how much may wait to be written before reading stops. One step may exceed it.
	// Default pipe.DefaultQueueBytes.
	QueueBytes int
	// Stall is how long a full queue may stay unread before the connection is closed. Default
	// pipe.DefaultStall.
	Stall time.Duration
}

func (o Options) check() error {
	var f lifecycle.Filler
	f.Within("Work", o.Work.Check())
	f.Time("Drain", &o.Drain, host.DefaultDrain, lifecycle.NeverNone)
	f.Count("QueueBytes", &o.QueueBytes, pipe.DefaultQueueBytes)
	f.Time("Stall", &o.Stall, pipe.DefaultStall, lifecycle.NeverNone)
	return f.Err("stdio")
}

// Server is a session with the client at the other end of two streams.
type Server struct {
	// Host runs it. Its methods send notifications to the client, from any goroutine.
	*host.Host
	in     io.Reader
	out    io.Writer
	work   *host.Work
	served atomic.Bool
}

// Serve serves one client over in and out until the session ends, as Server.Serve does.
// Errors: those of New, and those of Server.Serve.
func Serve(ctx context.Context, cfg server.Config, h *server.Handlers, in io.Reader, out io.Writer, opt Options) error {
	s, err := New(cfg, h, in, out, opt)
	if err != nil {
		return err
	}
	return s.Serve(ctx)
}

// New returns a Server that Serve runs; it has to be run. host.Config fills in what cfg
// leaves out. Errors: those of host.Config and server.New, a *lifecycle.ConfigError.
func New(cfg server.Config, h *server.Handlers, in io.Reader, out io.Writer, opt Options) (*Server, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	promised := cfg.Serve
	cfg, err := host.Config(cfg, h)
	if err != nil {
		return nil, err
	}
	if opt.Companion == nil { // which may answer
		if err := host.Answered("stdio", promised, h); err != nil {
			return nil, err
		}
	}
	s, err := server.New(cfg, time.Now())
	if err != nil {
		return nil, err
	}
	opt.Work.NoShares = true // there is one session
	w := pipe.NewWriter(out, opt.QueueBytes, opt.Stall)
	work := host.NewWork(opt.Work)
	d := host.New(s, h, w, host.Options{Work: work, Drain: opt.Drain, Companion: opt.Companion, Log: opt.Log})
	return &Server{Host: d, in: in, out: out, work: work}, nil
}

// Serve runs the session until its end. It is called once, or returns host.ErrServed. At the end of input, and when ctx ends, open
// calls may finish for Options.Drain. If the session ends otherwise, in is closed, where it
// can be, and out if the client does not read it. The error says why out could not be
// written to, or that calls did not finish.
//
// While it runs over a file of the process, a client that is gone does not end the process by
// SIGPIPE: functions are told, and Serve returns.
func (s *Server) Serve(ctx context.Context) error {
	if s.served.Swap(true) {
		return host.ErrServed
	}
	defer catchPipe(s.out)()
	defer s.work.Close()
	ended := make(chan struct{})
	err := s.Host.Serve(ctx, pipe.Read(watched{s.in, ended}, s.Done(), pipe.ReadOptions{}))
	select {
	case <-ended:
	default:
		if c, ok := s.in.(io.Closer); ok {
			_ = c.Close() // so that the goroutine that reads it ends
		}
	}
	return err
}

// watched is a reader that tells when it has ended.
type watched struct {
	in    io.Reader
	ended chan struct{}
}

// Read implements io.Reader. It is not called again after an error.
func (w watched) Read(b []byte) (int, error) {
	n, err := w.in.Read(b)
	if err != nil {
		close(w.ended)
	}
	return n, err
}
