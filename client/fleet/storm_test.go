//go:build unix

package fleet_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/fleet"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
)

// moody is a memory that dies, hangs, forgets and talks as it likes.
type moody struct {
	*memory
	dies chan struct{}
	once sync.Once
}

func dozes(ctx context.Context, most time.Duration) error {
	select {
	case <-time.After(rand.N(most)):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (m *moody) Send(ctx context.Context, o client.Outgoing, rev protocol.Revision) error {
	switch rand.IntN(100) {
	case 0:
		m.once.Do(func() { close(m.dies) })
	case 1:
		<-ctx.Done() // it takes nothing any more
	case 2:
		return io.ErrShortWrite
	case 3:
		return nil // it is forgotten
	case 4, 5, 6:
		for range 20 {
			select {
			case m.in <- links.Arrival{Message: jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`)}:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
	if err := dozes(ctx, 30*time.Millisecond); err != nil {
		return err
	}
	return m.memory.Send(ctx, o, rev)
}

func (m *moody) Receive(ctx context.Context) (links.Arrival, error) {
	select {
	case a := <-m.in:
		return a, nil
	case <-m.dies:
		return links.Arrival{}, io.EOF
	case <-ctx.Done():
		return links.Arrival{}, context.Cause(ctx)
	}
}

func (m *moody) Close(ctx context.Context) error {
	if rand.IntN(5) == 0 {
		<-ctx.Done()
	}
	return dozes(ctx, time.Second)
}

// Whatever servers do and whatever goroutines ask meanwhile (B27): everything that is begun ends, an
// answer is that of the server that was asked, and nothing is left.
func TestStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var opened, answers, failures atomic.Int64
		cfg := settings()
		cfg.Backoff = backoff.Policy{Base: 10 * time.Millisecond, Cap: time.Second}
		cfg.Timeouts = manager.Timeouts{Connect: 2 * time.Second, Request: 2 * time.Second, Ping: time.Second, Close: time.Second}
		cfg.Health = manager.Health{Interval: time.Second}
		cfg.Client.Serve = nil
		f, err := fleet.New(calls.Config{Manager: cfg}, fleet.Options{
			Dial: func(ctx context.Context, endpoint any) (links.Transport, error) {
				opened.Add(1)
				switch rand.IntN(10) {
				case 0:
					<-ctx.Done()
					return nil, context.Cause(ctx)
				case 1:
					return nil, io.ErrUnexpectedEOF
				}
				if err := dozes(ctx, 100*time.Millisecond); err != nil {
					return nil, err
				}
				tr, err := greeter(ctx, endpoint)
				if err != nil {
					return nil, err
				}
				m := tr.(*memory)
				m.in = make(chan links.Arrival, 1000)
				return &moody{memory: m, dies: make(chan struct{})}, nil
			},
			SendTimeout: 3 * time.Second, QueueBytes: 2000,
			Event: func(*fleet.Fleet, manager.Event) { time.Sleep(time.Millisecond) },
		})
		if err != nil {
			t.Fatal(err)
		}
		list := func() (all []fleet.Definition) {
			for i := range 20 {
				if rand.IntN(5) > 0 {
					all = append(all, fleet.Definition{Name: fmt.Sprint(i), Options: manager.Options{
						Endpoint: fmt.Sprint("hello ", i), Supervise: rand.IntN(4) > 0, Resubscribe: true,
					}})
				}
			}
			return all
		}
		_ = f.Set(t.Context(), list())
		var all sync.WaitGroup
		for range 40 {
			all.Go(func() {
				for range 50 {
					ctx, end := context.WithTimeout(t.Context(), rand.N(3*time.Second))
					n := rand.IntN(20)
					name := fmt.Sprint(n)
					var err error
					switch rand.IntN(30) {
					case 0:
						err = f.Set(ctx, list())
					case 1:
						err = leave(ctx, f, name)
					case 2:
						err = rejoin(ctx, f, name)
					case 3:
						err = join(ctx, f, name, manager.Options{Endpoint: "hello " + name, Replace: true, Supervise: true})
					case 4:
						_, err = f.Health(ctx)
					case 5, 6:
						err = ready(ctx, f, name)
					case 7, 8:
						_, err = ping(ctx, f, name)
					case 9, 10:
						_, err = f.Server(name).List(ctx, "tools/list", manager.Budget{})
					case 11:
						_ = statuses(f)
						_ = f.LeftOut()
					default:
						var r protocol.CallToolResult
						r, err = fleet.Do[protocol.CallToolResult](ctx, f.Server(name), protocol.CallToolParams{Name: "greet"}, fleet.RequestOptions{})
						if text := protocol.TextOf(r.Content); err == nil && text != "hello "+name {
							t.Errorf("%s says %q", name, text)
						}
					}
					if err == nil {
						answers.Add(1)
					} else {
						failures.Add(1)
						time.Sleep(rand.N(50 * time.Millisecond))
					}
					end()
				}
			})
		}
		all.Wait()
		if err := f.Caller().Manager().Check(); err != nil {
			t.Error(err)
		}
		ctx, end := context.WithTimeout(t.Context(), 10*time.Second)
		defer end()
		_ = f.Close(ctx)
		if err := f.Caller().Manager().Check(); err != nil {
			t.Error(err)
		}
		if ctx.Err() != nil {
			t.Error("Close takes too long")
		}
		t.Logf("%d opened, %d went well, %d did not", opened.Load(), answers.Load(), failures.Load())
		if answers.Load() < 100 || failures.Load() < 100 {
			t.Error("it is no storm")
		}
	})
}

// A thousand connections that fail leave nothing.
func TestFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, err := fleet.New(calls.Config{Manager: quiet()}, fleet.Options{Dial: func(context.Context, any) (links.Transport, error) { return nil, io.EOF }})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 1000 {
			name := fmt.Sprint(i)
			wantErr(t, join(t.Context(), f, name, manager.Options{Supervise: i%2 == 0}), io.EOF)
			if err := leave(t.Context(), f, name); err != nil {
				t.Fatal(err)
			}
		}
		m := f.Caller().Manager()
		if err := m.Check(); err != nil || m.Len() != 0 {
			t.Errorf("%v, %d names", err, m.Len())
		}
		if _, ok := m.NextDeadline(); ok {
			t.Error("something is waited for")
		}
		if err := f.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// deaf is a memory that takes nothing after the handshake.
type deaf struct {
	*memory
	left int
}

func (d *deaf) Send(ctx context.Context, o client.Outgoing, rev protocol.Revision) error {
	if d.left--; d.left < 0 {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	return d.memory.Send(ctx, o, rev)
}

// What is to be sent to a server that takes nothing is bounded: callers wait, each as long as
// it likes, and for no longer than Stall. Those of other servers do not.
func TestQueueFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, err := fleet.New(calls.Config{Manager: quiet()}, fleet.Options{
			Dial: func(ctx context.Context, endpoint any) (links.Transport, error) {
				tr, err := greeter(ctx, endpoint)
				if err != nil || endpoint != "deaf" {
					return tr, err
				}
				return &deaf{memory: tr.(*memory), left: 2}, nil
			},
			QueueBytes: 10_000, SendTimeout: 10 * time.Second,
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"deaf", "good"} {
			if err := join(t.Context(), f, name, manager.Options{Endpoint: name}); err != nil {
				t.Fatal(err)
			}
		}
		ends := make(chan error, 100)
		for range 100 {
			go func() {
				ctx, end := context.WithTimeout(t.Context(), time.Hour)
				defer end()
				_, err := fleet.Do[protocol.CallToolResult](ctx, f.Server("deaf"), protocol.CallToolParams{Name: "greet", Arguments: `{"x":"` + protocol.Raw(strings.Repeat("x", 1000)) + `"}`}, fleet.RequestOptions{})
				ends <- err
			}()
		}
		synctest.Wait()
		s, _ := f.Caller().Manager().Status("deaf")
		if s.Pending == 0 || s.Pending > 20 {
			t.Errorf("%d are pending", s.Pending)
		}
		short, end := context.WithTimeout(t.Context(), time.Second)
		defer end()
		_, err = ping(short, f, "deaf")
		wantErr(t, err, context.DeadlineExceeded)
		wantErr(t, notify(short, f, "deaf", protocol.RootsListChangedParams{}), context.DeadlineExceeded)
		if _, err := ping(t.Context(), f, "good"); err != nil {
			t.Error(err)
		}
		began := time.Now()
		for range 100 {
			if err := <-ends; err == nil {
				t.Error("no error")
			}
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("took %v", took)
		}
		if s, _ := f.Caller().Manager().Status("deaf"); s.Condition != manager.Failed {
			t.Errorf("%v", s.Condition)
		}
		if err := f.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
