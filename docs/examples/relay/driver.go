package main

import (
	"os"
	"time"

	"github.com/sansmcp/mcp/client/stdio"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/pipe"
)

// driver moves the relay's messages and time.
type driver struct {
	r     *relay
	up    []*stdio.Child
	down  *pipe.Writer
	drain time.Duration
	in    chan arrival
	quit  chan struct{}  // closed when nothing is taken in any more
	now   chan os.Signal // to end at once
}

// arrival is a message of a party, or the end of what it says.
type arrival struct {
	from int
	m    jsonrpc.Message
	more bool
}

// serve runs until the client is gone. A server that is gone is one with no tools.
//
//sansmcp:loop max=60
func (d *driver) serve(client <-chan jsonrpc.Message) error {
	go d.forward(down, client, nil)
	for i, c := range d.up {
		go d.forward(i, c.Messages, c.In)
	}
	timer := time.NewTimer(time.Hour)
	for {
		if t, ok := d.r.nextDeadline(); ok {
			timer.Reset(time.Until(t))
		}
		in := d.in
		if d.down.Full() {
			in = nil // until the client has read; what is due is done all the same
		}
		var do step
		select {
		case a := <-in:
			switch {
			case a.more:
				do = d.r.receive(time.Now(), a.from, a.m)
			case a.from == down:
				do = d.r.inputClosed(time.Now(), d.drain)
			default:
				do = d.r.lost(time.Now(), a.from)
				d.up[a.from].Stop()
			}
		case now := <-timer.C:
			do = d.r.tick(now)
		case <-d.down.Room():
		case <-d.down.Done():
			return d.down.Err()
		case <-d.now:
			for _, c := range d.up {
				c.StopNow()
			}
			return nil
		}
		for _, p := range do.send {
			if p.to == down {
				d.down.Send(p.m)
			} else {
				d.up[p.to].In.Send(p.m)
			}
		}
		for _, i := range do.stop {
			d.up[i].Stop()
		}
		if do.end {
			return nil
		}
	}
}

// forward hands over what a party says. To a server that does not read what it is sent
// nobody listens meanwhile.
func (d *driver) forward(from int, messages <-chan jsonrpc.Message, to *pipe.Writer) {
	for more := true; more; {
		for to != nil && to.Full() {
			select {
			case <-to.Room():
			case <-to.Done():
			}
		}
		a := arrival{from: from}
		a.m, a.more = <-messages
		select {
		case d.in <- a:
		case <-d.quit: // nobody listens any more
		}
		more = a.more
	}
}

// stop ends the servers, all at once, and waits for them. What is queued for the client is
// written meanwhile.
func (d *driver) stop() error {
	close(d.quit)
	for _, c := range d.up {
		c.Stop()
	}
	var err error
	if d.down != nil {
		err = d.down.Close(d.drain)
	}
	for _, c := range d.up {
		for gone := false; !gone; {
			select {
			case <-c.Gone():
				gone = true
			case <-d.now:
				for _, c := range d.up {
					c.StopNow()
				}
			}
		}
	}
	return err
}
