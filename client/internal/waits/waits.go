// Package waits has what the drivers of a client wait by.
package waits

import (
	"context"
	"strings"
	"sync"

	"github.com/sansmcp/mcp/jsonrpc"
)

// Change lets goroutines wait until something that a lock guards has changed. All of it is used
// under that lock.
type Change struct{ next chan struct{} }

// Wake wakes all who wait.
func (c *Change) Wake() {
	if c.next != nil {
		close(c.next)
		c.next = nil
	}
}

// Wait waits for Wake, or the end of ctx, and gives up the lock meanwhile.
func (c *Change) Wait(ctx context.Context, lock *sync.Mutex) {
	if c.next == nil {
		c.next = make(chan struct{})
	}
	next := c.next
	lock.Unlock()
	defer lock.Lock()
	select {
	case <-next:
	case <-ctx.Done():
	}
}

// Finally calls f, and then end, also if f ends its goroutine (runtime.Goexit, as t.FailNow does). A
// panic of f ends the program, and end does not hold that up.
func Finally(f, end func()) {
	defer func() {
		if v := recover(); v != nil {
			panic(v)
		}
		end()
	}()
	f()
}

// Signal leaves a token in a channel for one, for the goroutine that waits or comes to wait.
func Signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// How much progress waits for a function that is slower than the server: the newest MaxProgress, or
// the newest alone if it is longer.
const (
	MaxProgress      = 16
	maxProgressBytes = 1 << 20
)

// News is progress of one of the requests that are waited for together, by its index.
type News struct {
	Index int         // of the request
	Body  jsonrpc.Raw // its params
}

// Progress is progress that its function has not seen.
type Progress struct {
	list  []News
	bytes int
}

// Add adds a copy of the newest, and drops older ones that there is no room for.
func (p *Progress) Add(index int, body jsonrpc.Raw) {
	p.bytes += len(body)
	for len(p.list) > 0 && (len(p.list) == MaxProgress || p.bytes > maxProgressBytes) {
		p.bytes -= len(p.list[0].Body)
		p.list = p.list[1:]
	}
	p.list = append(p.list, News{index, jsonrpc.Raw(strings.Clone(string(body)))})
}

// Take returns what there is, and leaves nothing.
func (p *Progress) Take() []News {
	list := p.list
	*p = Progress{}
	return list
}
