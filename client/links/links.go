package links

import (
	"context"
	"errors"
	"time"

	"github.com/sansmcp/mcp/client/manager"
)

// New returns Links without a Transport. The caller must call Close. dial and Options.Report must
// not be nil.
func New(dial Dial, opt Options) *Links {
	_ = opt.fill() // what it refuses is its default
	return &Links{
		dial: dial, opt: opt,
		links: map[manager.Link]*link{}, alive: map[*link]struct{}{}, empty: make(chan struct{}),
	}
}

// Do does what a step of the machine asks for, in order. It never waits, and does not call
// Report. Messages to a Link that has ended, or that was never opened, are dropped; so is an
// ActOpen of one that is there, and everything after Close.
func (l *Links) Do(actions []manager.Action) {
	for _, a := range actions {
		switch a.Kind {
		case manager.ActOpen:
			l.open(a)
		case manager.ActSend:
			if k := l.find(a.Link); k != nil {
				k.push(a.Out, a.Revision)
			}
		case manager.ActClose:
			if k := l.find(a.Link); k != nil {
				k.close(a.By)
			}
		case manager.ActKill:
			if k := l.find(a.Link); k != nil {
				k.kill()
			}
		}
	}
}

func (l *Links) find(id manager.Link) *link {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.links[id]
}

// open begins a link.
func (l *Links) open(a manager.Action) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.links[a.Link] != nil {
		return
	}
	k := newLink(l, a.Link)
	l.links[a.Link] = k
	l.alive[k] = struct{}{}
	go k.live(a.Endpoint, a.By)
}

// Full reports whether so much waits to be sent to a server that no more should be made.
// Options.OnRoom tells the end of that.
func (l *Links) Full(id manager.Link) bool {
	k := l.find(id)
	return k != nil && k.full()
}

// Len returns how many Links have not ended, those that are being opened or closed included.
func (l *Links) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.links)
}

// Close ends all Links, as ActClose does with the end of ctx as the deadline, and waits until
// nothing runs. It returns the cause of ctx if that ended first, joined with ErrCloseTimeout if a
// Transport did not heed it. It may be called several times; the last reports are made before it
// returns.
func (l *Links) Close(ctx context.Context) error {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		if len(l.alive) == 0 {
			close(l.empty)
		}
	}
	all := make([]*link, 0, len(l.alive))
	for k := range l.alive {
		all = append(all, k)
	}
	l.mu.Unlock()
	for _, k := range all {
		k.close(time.Time{})
	}
	select {
	case <-l.empty:
		return stuck(all)
	case <-ctx.Done():
	}
	if len(all) == 0 {
		return nil
	}
	for _, k := range all {
		k.kill()
	}
	<-l.empty
	return errors.Join(context.Cause(ctx), stuck(all))
}

// leftOpen returns ErrCloseTimeout if one of the links left something behind.
func stuck(all []*link) error {
	for _, k := range all {
		if k.left() {
			return k.abandoned()
		}
	}
	return nil
}
