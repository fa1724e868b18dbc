package stdio

import (
	"cmp"
	"time"
)

// Options are the settings of a Host. A zero field means its default.
type Options struct {
	// MaxRunning is how many functions run at a time; those whose call has ended count
	// until they return. Default 64.
	MaxRunning int
	// MaxWaiting is how many calls wait for their turn beyond that; further ones are
	// answered -32603. Default 1000.
	MaxWaiting int
	// CallBytes bounds the params of the calls that run or wait; a call too many is
	// answered -32603, but never the only one. Default 64 MiB.
	CallBytes int
	// QueueBytes is how much may wait to be written before the loop takes nothing in any
	// more. The queue may be longer by what one step sends. Default 32 MiB.
	QueueBytes int
	// Stall is how long the peer may read nothing of a full queue before the connection
	// is closed. Default 30 s.
	Stall time.Duration
	// Drain is how long calls may go on after the end of input. Default 5 s.
	Drain time.Duration
}

// The defaults of Options.
const (
	DefaultMaxRunning = 64
	DefaultMaxWaiting = 1000
	DefaultCallBytes  = 64 << 20
	DefaultQueueBytes = 32 << 20
	DefaultStall      = 30 * time.Second
	DefaultDrain      = 5 * time.Second
)

func (o Options) filled() Options {
	o.MaxRunning = cmp.Or(o.MaxRunning, DefaultMaxRunning)
	o.MaxWaiting = cmp.Or(o.MaxWaiting, DefaultMaxWaiting)
	o.CallBytes = cmp.Or(o.CallBytes, DefaultCallBytes)
	o.QueueBytes = cmp.Or(o.QueueBytes, DefaultQueueBytes)
	o.Stall = cmp.Or(o.Stall, DefaultStall)
	o.Drain = cmp.Or(o.Drain, DefaultDrain)
	return o
}
