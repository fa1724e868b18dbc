package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/stdio"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// driver owns the State of the session. It has no goroutine but those that read and
// write: whoever waits for something runs the loop.
type driver struct {
	s        client.State
	lists    client.Mirror // what the server offers
	server   *stdio.Child
	messages <-chan jsonrpc.Message // of the server; nil when there are no more
	log      io.Writer
	timer    *time.Timer

	ended  map[client.Req]client.Event // how requests ended that somebody waits for
	heard  heard                       // the notifications, until somebody takes them
	roots  []protocol.Root
	answer protocol.ElicitResult // what the user says to everything
}

// turn waits for the next thing to happen, and does what it asks for. If that is a line
// of input, it returns it.
//
//sansmcp:loop max=60
func (d *driver) turn(input <-chan string) (line string, got bool, err error) {
	if t, ok := d.deadline(); ok {
		d.timer.Reset(time.Until(t))
	}
	messages, room, stalled := d.messages, d.server.In.Room(), d.server.In.Done()
	if d.server.In.Full() {
		messages = nil // until the server has read; what is due is done all the same
	} else {
		room, stalled = nil, nil
	}
	var out client.Output
	select {
	case m, ok := <-messages:
		if ok {
			d.s, out = d.s.Receive(time.Now(), m)
		} else {
			d.messages = nil
			d.s, out = d.s.Disconnected(time.Now(), io.EOF)
		}
	case line, got = <-input:
		if !got {
			err = io.EOF
		}
		return line, got, err
	case now := <-d.timer.C:
		d.s, out = d.s.Tick(now)
	case <-room:
	case <-stalled:
	}
	return "", false, d.step(out)
}

// deadline returns when something is next due.
func (d *driver) deadline() (time.Time, bool) {
	first, some := d.s.NextDeadline()
	if t, ok := d.lists.NextDeadline(); ok && (!some || t.Before(first)) {
		return t, true
	}
	return first, some
}

// until runs the session until done says so.
func (d *driver) until(done func() bool) error {
	for !done() {
		if d.messages == nil {
			return errGone
		}
		if _, _, err := d.turn(nil); err != nil {
			return err
		}
	}
	return nil
}

// step does what an Output asks for.
func (d *driver) step(out client.Output) error {
	d.lists, d.s, out = d.lists.Handle(d.s, out)
	for _, o := range out.Send {
		d.server.In.Send(o.Message)
	}
	for _, ev := range out.Events {
		switch ev.Kind {
		case lifecycle.ResponseReceived, lifecycle.RequestFailed:
			d.ended[ev.Req] = ev
			continue
		case client.ListRead:
			continue // d.lists has it
		case lifecycle.NotificationReceived:
			d.heard.add(ev)
		}
		fmt.Fprintln(d.log, "  ("+describe(ev)+")")
		if ev.Kind == lifecycle.RequestReceived {
			if err := d.serve(ev); err != nil {
				return err
			}
		}
	}
	if out.Close != nil {
		d.server.Stop()
	}
	return nil
}

// errGone is why nothing more can be done.
var errGone = errors.New("the server is gone")

func describe(ev client.Event) string {
	s := ev.Kind.String()
	if ev.Kind == lifecycle.PhaseChanged {
		return s + ": " + ev.From.String() + " -> " + ev.To.String()
	}
	for _, part := range []string{ev.Rule, ev.Method, string(ev.Body)} {
		if part != "" {
			s += ": " + part
		}
	}
	return s
}

// send sends a request.
func (d *driver) send(p protocol.Params, opt client.RequestOptions) (client.Req, error) {
	var out client.Output
	var err error
	if d.s, out, err = d.s.Request(time.Now(), p, opt); err != nil {
		return client.Req{}, err
	}
	return out.Req, d.step(out)
}

// await waits for the end of a request.
func (d *driver) await(req client.Req) (ev client.Event, err error) {
	err = d.until(func() (ended bool) { ev, ended = d.ended[req]; return ended })
	delete(d.ended, req)
	if err != nil {
		return ev, err
	}
	return ev, ev.Failure()
}

func (d *driver) request(p protocol.Params, opt client.RequestOptions) (client.Event, error) {
	req, err := d.send(p, opt)
	if err != nil {
		return client.Event{}, err
	}
	return d.await(req)
}

// list returns the items of a list of the server, as of now.
func (d *driver) list(method string) ([]jsonrpc.Raw, error) {
	err := d.until(func() bool {
		_, fresh := d.lists.Items(method)
		return fresh || d.lists.Err(method) != nil
	})
	items, fresh := d.lists.Items(method)
	if err == nil && !fresh {
		err = d.lists.Err(method)
	}
	return items, err
}

// open runs the handshake.
func (d *driver) open() error {
	var out client.Output
	var err error
	if d.s, out, err = d.s.Initialize(time.Now()); err != nil {
		return err
	}
	if err = d.step(out); err != nil {
		return err
	}
	if _, err = d.await(out.Req); err != nil {
		return err
	}
	if cause := d.s.Status().Cause; cause != nil {
		return cause
	}
	return nil
}

// close ends the session: the server's input ends, and it has some time to leave.
func (d *driver) close() error {
	var out client.Output
	d.s, out = d.s.Shutdown(time.Now(), 0)
	err := d.step(out)
	d.server.Stop() // also if the session had ended before
	if err == nil {
		err = d.until(func() bool { return d.messages == nil })
	}
	go func() {
		for range d.server.Messages { // what is left is of no concern
		}
	}()
	<-d.server.Gone()
	return err
}
