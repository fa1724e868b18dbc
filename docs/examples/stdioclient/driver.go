package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// driver owns the State of the session. It has no goroutine but the one that reads:
// whoever waits for an answer runs the loop.
type driver struct {
	s        client.State
	messages <-chan jsonrpc.Message
	out      io.WriteCloser
	log      io.Writer
	timer    *time.Timer
	buf      []byte
}

// await runs the session until req ends, or with the zero Req until the transport is
// closed.
//
//sansmcp:loop max=60
func (d *driver) await(req client.Req) (client.Event, error) {
	for d.messages != nil {
		if t, ok := d.s.NextDeadline(); ok {
			d.timer.Reset(time.Until(t))
		}
		var out client.Output
		select {
		case m, ok := <-d.messages:
			if ok {
				d.s, out = d.s.Receive(time.Now(), m)
			} else {
				d.messages = nil
				d.s, out = d.s.Disconnected(time.Now(), io.EOF)
			}
		case now := <-d.timer.C:
			d.s, out = d.s.Tick(now)
		}
		ev, err := d.step(out, req)
		if err != nil || ev.Kind != 0 {
			return ev, errors.Join(err, ev.Failure())
		}
	}
	return client.Event{}, io.EOF
}

// step does what an Output asks for. It returns the event that ends req.
func (d *driver) step(out client.Output, req client.Req) (end client.Event, err error) {
	d.buf = d.buf[:0]
	for _, o := range out.Send {
		d.buf = jsonrpc.AppendLine(d.buf, o.Message)
	}
	if len(d.buf) > 0 {
		if _, err := d.out.Write(d.buf); err != nil {
			return end, err
		}
	}
	for _, ev := range out.Events {
		switch ev.Kind {
		case lifecycle.RequestReceived:
			var next client.Output
			if d.s, next, err = d.s.Respond(time.Now(), ev.Call, answer(ev)); err != nil {
				return end, err
			}
			if _, err = d.step(next, client.Req{}); err != nil {
				return end, err
			}
		case lifecycle.ResponseReceived, lifecycle.RequestFailed:
			if ev.Req == req {
				end = ev
			}
		default:
			fmt.Fprintln(d.log, "  ("+describe(ev)+")")
		}
	}
	if out.Close != nil {
		err = d.out.Close()
	}
	return end, err
}

// answer answers what servers ask of clients.
func answer(ev client.Event) protocol.Result {
	if ev.Method == protocol.MethodElicitationCreate.String() {
		return protocol.ElicitResult{Action: protocol.ActionDecline}
	}
	return protocol.CreateMessageResult{
		Role: protocol.RoleAssistant, Model: "none", Content: protocol.TextContent("There is no model behind this example."),
	}
}

func describe(ev client.Event) string {
	s := ev.Kind.String()
	if ev.Kind == lifecycle.PhaseChanged {
		return s + ": " + ev.From.String() + " -> " + ev.To.String()
	}
	for _, part := range []string{ev.Rule, ev.Method} {
		if part != "" {
			s += ": " + part
		}
	}
	return s
}

// request sends a request and waits for its end.
func (d *driver) request(p protocol.Params, opt client.RequestOptions) (client.Event, error) {
	var out client.Output
	var err error
	if d.s, out, err = d.s.Request(time.Now(), p, opt); err != nil {
		return client.Event{}, err
	}
	if _, err := d.step(out, client.Req{}); err != nil {
		return client.Event{}, err
	}
	return d.await(out.Req)
}

// open runs the handshake.
func (d *driver) open() error {
	var out client.Output
	var err error
	if d.s, out, err = d.s.Initialize(time.Now()); err != nil {
		return err
	}
	if _, err = d.step(out, client.Req{}); err != nil {
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

// close ends the session: it closes the server's input and waits for its output to end.
func (d *driver) close() error {
	var out client.Output
	d.s, out = d.s.Shutdown(time.Now(), 0)
	if _, err := d.step(out, client.Req{}); err != nil {
		return err
	}
	if _, err := d.await(client.Req{}); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}
