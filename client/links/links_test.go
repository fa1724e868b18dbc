package links

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

func TestLinksOpenAndClose(t *testing.T) {
	links(t, Options{}, func(t *testing.T, l *Links, h *heard) {
		s := new(stiff)
		l.Do([]manager.Action{open(one, s, time.Second), open(two, errors.New("refused"), time.Second)})
		synctest.Wait()
		h.want(t, one, "opened")
		h.want(t, two, "open failed")
		wantText(t, h.last(two).Err, "refused")
		l.Do([]manager.Action{
			open(one, s, time.Second), // it is there
			send(one, ping()), send(one, word(1)), send(two, ping()),
			shut(one, time.Second), send(one, ping()), shut(one, time.Second), shut(two, time.Second), kill(two),
		})
		synctest.Wait()
		h.want(t, one, "opened", "ended")
		h.want(t, two, "open failed")
		if err := h.last(one).Err; err != nil {
			t.Error(err)
		}
		if got := []string{"ping", "notifications/x"}; !slices.Equal(s.sent, got) || s.closed != 1 {
			t.Errorf("sent %q, want %q; closed %d times", s.sent, got, s.closed)
		}
		l.Do([]manager.Action{open(two, nil, time.Second)})
		synctest.Wait()
		wantErr(t, h.last(two).Err, errDial)
	})
}

// What was queued goes out before the end (B13), for as long as there is time.
func TestLinksCloseSendsFirst(t *testing.T) {
	slow := func(ctx context.Context, _ client.Outgoing) error {
		select {
		case <-time.After(time.Second):
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	links(t, Options{}, func(t *testing.T, l *Links, h *heard) {
		s, late := &stiff{send: slow}, &stiff{send: slow}
		l.Do([]manager.Action{open(one, s, 0), open(two, late, 0)})
		synctest.Wait()
		for range 3 {
			l.Do([]manager.Action{send(one, word(1)), send(two, word(1))})
		}
		l.Do([]manager.Action{shut(one, 5*time.Second), shut(two, 2500*time.Millisecond)})
		time.Sleep(3100 * time.Millisecond)
		synctest.Wait()
		h.want(t, one, "opened", "ended")
		h.want(t, two, "opened", "ended")
		if len(s.sent) != 3 || len(late.sent) != 2 || h.last(one).Err != nil {
			t.Errorf("sent %d and %d, %v", len(s.sent), len(late.sent), h.last(one).Err)
		}
		wantErr(t, h.last(two).Err, errKilled)
	})
}

// A connection that is given up while it is being opened.
func TestLinksGiveUpOpening(t *testing.T) {
	links(t, Options{}, func(t *testing.T, l *Links, h *heard) {
		hangs := func(ctx context.Context) (Transport, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}
		late := new(stiff)
		after := func(ctx context.Context) (Transport, error) {
			<-ctx.Done()
			return late, nil // it was just ready
		}
		l.Do([]manager.Action{open(one, hangs, time.Second)})
		time.Sleep(time.Second)
		synctest.Wait()
		h.want(t, one, "open failed")
		wantErr(t, h.last(one).Err, context.DeadlineExceeded)

		l.Do([]manager.Action{open(one, hangs, time.Second), open(two, after, 0)})
		synctest.Wait()
		l.Do([]manager.Action{shut(one, time.Second), kill(two)})
		synctest.Wait()
		h.want(t, one, "open failed", "ended")
		h.want(t, two, "ended")
		if late.closes() != 1 {
			t.Error("a transport that came too late is not closed")
		}
	})
}

// A Dial that does not heed its context, and returns at last, or never.
func TestLinksDialStuck(t *testing.T) {
	links(t, Options{CloseTimeout: time.Second}, func(t *testing.T, l *Links, h *heard) {
		release, s := make(chan struct{}), new(stiff)
		deaf := func(context.Context) (Transport, error) {
			<-release
			return s, nil
		}
		l.Do([]manager.Action{open(one, deaf, time.Second), open(two, deaf, 0)})
		synctest.Wait()
		l.Do([]manager.Action{shut(two, time.Hour)})
		time.Sleep(2 * time.Second)
		synctest.Wait()
		h.want(t, one, "open failed")
		h.want(t, two, "ended")
		wantErr(t, h.last(one).Err, ErrCloseTimeout)
		wantErr(t, h.last(two).Err, ErrCloseTimeout)
		if err := l.Close(t.Context()); err != nil {
			t.Error("what was given up long ago is waited for:", err)
		}
		close(release)
		synctest.Wait()
		if s.closes() != 2 {
			t.Errorf("what came after all was closed %d times", s.closes())
		}
	})
}

// The end of a server is reported at once, and tidied up after; what is queued is dropped.
func TestLinksServerEnds(t *testing.T) {
	links(t, Options{}, func(t *testing.T, l *Links, h *heard) {
		dies := make(chan struct{})
		s := &stiff{
			receive: func(ctx context.Context) (Arrival, error) {
				select {
				case <-dies:
					return Arrival{}, io.EOF
				case <-ctx.Done():
					return Arrival{}, context.Cause(ctx)
				}
			},
			send: func(ctx context.Context, _ client.Outgoing) error {
				<-ctx.Done()
				return context.Cause(ctx)
			},
			close: func(ctx context.Context) error {
				time.Sleep(3 * time.Second)
				return nil
			},
		}
		l.Do([]manager.Action{open(one, s, 0)})
		synctest.Wait()
		l.Do([]manager.Action{send(one, ping()), send(one, ping())})
		synctest.Wait()
		began := time.Now()
		close(dies)
		synctest.Wait()
		h.want(t, one, "opened", "send failed", "ended") // what waited was not sent
		wantErr(t, h.last(one).Err, io.EOF)
		if took := time.Since(began); took != 0 {
			t.Errorf("reported after %v", took)
		}
		l.Do([]manager.Action{send(one, ping()), shut(one, 0), kill(one), open(one, new(stiff), 0)})
		synctest.Wait()
		h.want(t, one, "opened", "send failed", "ended", "opened")
	})
}

// A server that takes nothing is given up after SendTimeout; it holds up nobody.
func TestLinksStall(t *testing.T) {
	links(t, Options{SendTimeout: 10 * time.Second}, func(t *testing.T, l *Links, h *heard) {
		deaf := &stiff{send: func(ctx context.Context, _ client.Outgoing) error {
			<-ctx.Done()
			return context.Cause(ctx)
		}}
		good := new(stiff)
		l.Do([]manager.Action{open(one, deaf, 0), open(two, good, 0)})
		synctest.Wait()
		for range 100 {
			l.Do([]manager.Action{send(one, ping()), send(two, ping())})
		}
		synctest.Wait()
		if len(good.sent) != 100 {
			t.Errorf("%d were sent to the other one", len(good.sent))
		}
		time.Sleep(9 * time.Second)
		synctest.Wait()
		h.want(t, one, "opened")
		time.Sleep(time.Second)
		synctest.Wait()
		h.want(t, one, "opened", "ended")
		wantErr(t, h.last(one).Err, ErrSendTimeout)
		if deaf.closes() != 1 {
			t.Error("not closed")
		}
	})
}

// A full queue stops what comes in, refuses requests beyond its factor, and ends the
// connection when something else is beyond that.
func TestLinksQueue(t *testing.T) {
	var rooms []manager.Link
	links(t, Options{QueueBytes: 1000, SendTimeout: -1, OnRoom: func(id manager.Link) { rooms = append(rooms, id) }}, func(t *testing.T, l *Links, h *heard) {
		gate, in := make(chan struct{}), make(chan Arrival, 10)
		s := &stiff{
			send: func(ctx context.Context, _ client.Outgoing) error {
				select {
				case <-gate:
					return nil
				case <-ctx.Done():
					return context.Cause(ctx)
				}
			},
			receive: func(ctx context.Context) (Arrival, error) {
				select {
				case a := <-in:
					return a, nil
				case <-ctx.Done():
					return Arrival{}, context.Cause(ctx)
				}
			},
		}
		l.Do([]manager.Action{open(one, s, 0)})
		synctest.Wait()
		if l.Full(one) || l.Full(two) {
			t.Error("full")
		}
		l.Do([]manager.Action{send(one, word(2000))})
		if !l.Full(one) {
			t.Error("not full")
		}
		in <- Arrival{Message: word(1)}
		in <- Arrival{Message: word(1)}
		synctest.Wait()
		h.want(t, one, "opened", "received") // one Receive had begun before
		for range 20 {
			l.Do([]manager.Action{send(one, word(1000))})
			l.Do([]manager.Action{send(one, ping())})
			synctest.Wait()
			if slices.Contains(h.of(one), "send failed") {
				break
			}
		}
		l.Do([]manager.Action{send(one, ping()), send(one, ping())})
		synctest.Wait()
		if r := h.last(one); r.Kind != manager.SendFailed || !errors.Is(r.Err, errQueueFull) {
			t.Fatalf("%v: %v", r.Kind, r.Err)
		}
		close(gate)
		synctest.Wait()
		if n := len(rooms); n != 1 {
			t.Errorf("there was room %d times", n)
		}
		if n := len(h.of(one)); l.Full(one) || h.of(one)[n-1] != "received" {
			t.Errorf("%q", h.of(one))
		}
	})
	links(t, Options{QueueBytes: 1000, SendTimeout: -1}, func(t *testing.T, l *Links, h *heard) {
		l.Do([]manager.Action{open(one, &stiff{send: func(ctx context.Context, _ client.Outgoing) error {
			<-ctx.Done()
			return context.Cause(ctx)
		}}, 0)})
		synctest.Wait()
		for range 20 {
			l.Do([]manager.Action{send(one, word(1000))})
		}
		synctest.Wait()
		h.want(t, one, "opened", "ended")
		wantErr(t, h.last(one).Err, ErrSendTimeout)
	})
}

// What was lost of one request.
func TestLinksArrivals(t *testing.T) {
	links(t, Options{}, func(t *testing.T, l *Links, h *heard) {
		in := make(chan Arrival, 10)
		s := &stiff{
			receive: func(ctx context.Context) (Arrival, error) {
				select {
				case a := <-in:
					return a, nil
				case <-ctx.Done():
					return Arrival{}, context.Cause(ctx)
				}
			},
			send: func(context.Context, client.Outgoing) error { return io.ErrShortWrite },
		}
		st, err := client.New(client.Config{Info: protocol.Implementation{Name: "test", Version: "1"}, HashKey: [16]byte{1}}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		_, out, err := st.Initialize(time.Now())
		if err != nil {
			t.Fatal(err)
		}
		l.Do([]manager.Action{open(one, s, 0)})
		synctest.Wait()
		in <- Arrival{Req: out.Req, Paused: true}
		synctest.Wait()
		if r := h.last(one); r.Req != out.Req || r.Resumed {
			t.Errorf("%v", r)
		}
		in <- Arrival{Req: out.Req, Resumed: true}
		synctest.Wait()
		if r := h.last(one); r.Req != out.Req || !r.Resumed {
			t.Errorf("%v", r)
		}
		in <- Arrival{Req: out.Req, Err: lifecycle.Unsent(io.ErrUnexpectedEOF)}
		in <- Arrival{Req: out.Req, Err: io.ErrUnexpectedEOF}
		synctest.Wait()
		a := manager.Action{Kind: manager.ActSend, Link: one, Out: out.Send[0]}
		l.Do([]manager.Action{a, send(one, word(1))})
		synctest.Wait()
		h.want(t, one, "opened", "paused", "paused", "send failed", "response lost", "response lost") // a part may have been written
		if r := h.last(one); r.Req != out.Req || !errors.Is(r.Err, io.ErrShortWrite) {
			t.Errorf("%v", r)
		}
	})
}

// Close waits for those that end, kills those that do not, and leaves those that cannot be
// killed.
func TestLinksCloseAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := new(heard)
		l := New(toTransport, Options{Report: h.report})
		release := make(chan struct{})
		killed := 0
		lazy := &stiff{close: func(ctx context.Context) error {
			<-ctx.Done()
			killed++
			return nil
		}}
		stone := &stiff{close: func(context.Context) error {
			<-release
			return nil
		}}
		l.Do([]manager.Action{open(one, lazy, 0), open(two, stone, 0)})
		synctest.Wait()
		ctx, end := context.WithTimeout(t.Context(), time.Second)
		defer end()
		began := time.Now()
		err := l.Close(ctx)
		if took := time.Since(began); took != time.Second+DefaultCloseTimeout {
			t.Errorf("took %v", took)
		}
		wantErr(t, err, context.DeadlineExceeded)
		wantErr(t, err, ErrCloseTimeout)
		wantErr(t, h.last(one).Err, errKilled)
		wantErr(t, h.last(two).Err, ErrCloseTimeout)
		if killed != 1 {
			t.Error("not killed")
		}
		wantErr(t, l.Close(t.Context()), nil)
		close(release)
	})
}

// A report may ask for more, as a machine does that opens a connection again.
func TestLinksReportDoes(t *testing.T) {
	links(t, Options{}, func(t *testing.T, l *Links, h *heard) {
		left := 1000
		h.rule = func(r manager.Report) {
			if r.Kind == manager.OpenFailed && left > 0 {
				left--
				l.Do([]manager.Action{open(r.Link, io.EOF, time.Second)})
			}
		}
		l.Do([]manager.Action{open(one, io.EOF, time.Second)})
		synctest.Wait()
		if n := len(h.of(one)); n != 1001 || l.Len() != 0 {
			t.Errorf("%d reports, %d connections", n, l.Len())
		}
	})
}
