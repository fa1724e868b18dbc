package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/sse"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
)

// plain is a transport of a few lines, written without client/exchange and client/nethttp:
// what the server does wrong shows with it as well.
type plain struct {
	http    *http.Client
	url     string
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup
	arrived chan links.Arrival

	mu      sync.Mutex
	session string
	rev     protocol.Revision
}

func newPlain(url string, c *http.Client, _ time.Duration) (links.Transport, error) {
	t := &plain{http: c, url: url, arrived: make(chan links.Arrival)}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	return t, nil
}

// Send posts a notification before it returns, and anything else on a goroutine.
func (t *plain) Send(_ context.Context, o client.Outgoing, rev protocol.Revision) error {
	t.mu.Lock()
	t.rev = rev
	t.mu.Unlock()
	body := jsonrpc.Append(nil, o.Message)
	if o.Message.Kind == jsonrpc.KindNotification {
		err := t.post(o, body)
		if err == nil && o.Message.Method == "notifications/initialized" {
			t.running.Go(t.listen)
		}
		return err
	}
	t.running.Go(func() {
		if err := t.post(o, body); err != nil && o.Message.Kind == jsonrpc.KindRequest {
			t.give(links.Arrival{Req: o.Req, Err: err})
		}
	})
	return nil
}

// post posts a message and hands on what comes back, until the answer has.
func (t *plain) post(o client.Outgoing, body []byte) error {
	r, err := t.do(headers.OpPost, "", body)
	if err != nil {
		return err
	}
	if id := r.Header.Get(headers.Session); id != "" {
		t.mu.Lock()
		t.session = id
		t.mu.Unlock()
	}
	switch {
	case r.StatusCode == http.StatusAccepted:
		return r.Body.Close()
	case r.StatusCode != http.StatusOK:
		text, _ := io.ReadAll(r.Body)
		return errors.Join(fmt.Errorf("status %d: %s", r.StatusCode, text), r.Body.Close())
	case !headers.IsEventStream(r.Header.Get(headers.ContentType)):
		text, err := io.ReadAll(r.Body)
		if err == nil {
			t.give(links.Arrival{Message: jsonrpc.Decode(text)})
		}
		return errors.Join(err, r.Body.Close())
	}
	done, last, retry := t.read(r.Body, o.Message.ID)
	for fails := 0; !done && last != "" && fails < 50; fails++ {
		if !t.wait(retry) {
			return t.ctx.Err()
		}
		r, err := t.do(headers.OpResume, last, nil)
		if err != nil {
			continue
		}
		if r.StatusCode != http.StatusOK {
			_ = r.Body.Close()
			return fmt.Errorf("resumption: status %d", r.StatusCode)
		}
		was := last
		var id string
		if done, id, retry = t.read(r.Body, o.Message.ID); id != "" {
			last = id
		}
		if last != was {
			fails = 0
		}
	}
	if !done {
		return errors.New("no answer")
	}
	return nil
}

// listen keeps the GET stream open.
func (t *plain) listen() {
	last := ""
	for t.ctx.Err() == nil {
		op := headers.OpListen
		if last != "" {
			op = headers.OpResume
		}
		retry := 50 * time.Millisecond
		if r, err := t.do(op, last, nil); err == nil && r.StatusCode == http.StatusOK {
			id := ""
			if _, id, retry = t.read(r.Body, jsonrpc.ID{}); id != "" {
				last = id
			}
		} else if err == nil {
			last = ""
			_ = r.Body.Close()
		}
		t.wait(retry)
	}
}

// read hands on the messages of a stream, and reports whether the answer to id was among
// them, the last id, and how long to wait before the next connection.
func (t *plain) read(body io.ReadCloser, id jsonrpc.ID) (done bool, last string, retry time.Duration) {
	defer func() { _ = body.Close() }()
	var d sse.Decoder
	buf := make([]byte, 4<<10)
	for {
		n, err := body.Read(buf)
		d.Push(buf[:n])
		for ev, ok := d.Next(); ok; ev, ok = d.Next() {
			if ev.Data == "" {
				continue
			}
			m := jsonrpc.Decode([]byte(ev.Data))
			done = done || m.ID == id && (m.Kind == jsonrpc.KindResult || m.Kind == jsonrpc.KindError)
			t.give(links.Arrival{Message: m})
		}
		if err != nil {
			if retry, ok := d.Retry(); ok {
				return done, d.LastID(), retry
			}
			return done, d.LastID(), 50 * time.Millisecond
		}
	}
}

func (t *plain) do(op headers.Op, last string, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(t.ctx, op.Method(), t.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	fields := headers.Request(op, t.session, t.rev, last)
	t.mu.Unlock()
	for _, f := range fields {
		r.Header.Set(f.Name, f.Value)
	}
	return t.http.Do(r)
}

func (t *plain) give(a links.Arrival) {
	select {
	case t.arrived <- a:
	case <-t.ctx.Done():
	}
}

func (t *plain) wait(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-t.ctx.Done():
		return false
	}
}

func (t *plain) Receive(ctx context.Context) (links.Arrival, error) {
	select {
	case a := <-t.arrived:
		return a, nil
	case <-t.ctx.Done():
		return links.Arrival{}, io.EOF
	case <-ctx.Done():
		return links.Arrival{}, ctx.Err()
	}
}

func (t *plain) Close(context.Context) error {
	r, err := t.do(headers.OpEnd, "", nil)
	if err == nil {
		err = r.Body.Close()
	}
	t.cancel()
	t.running.Wait()
	return err
}
