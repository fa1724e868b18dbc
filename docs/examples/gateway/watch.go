package main

import (
	"context"
	"os"
	"time"

	"github.com/sansmcp/mcp/docs/examples/gateway/config"
)

// watch reads the file again when it has changed and when it is told to, and shows the status when
// it is asked, until ctx ends. c is what the file said when it was read first, and read its stamp
// before that.
func (p *program) watch(ctx context.Context, c config.Config, read fileStamp) {
	look, stopLook := ticks(p.check)
	defer stopLook()
	show, stopShow := ticks(p.status)
	defer stopShow()
	seen := read // as it was looked at last
	for {
		select {
		case <-ctx.Done():
			return
		case <-look:
			now := stamp(p.file)
			if now != seen || now == read { // it may be written right now
				seen = now
				continue
			}
		case <-p.reload:
		case <-show:
			_, _ = p.g.Status().WriteTo(p.log) // it takes everything
			continue
		case <-p.show:
			_, _ = p.g.Status().WriteTo(p.log)
			continue
		}
		read = stamp(p.file)
		seen = read
		c = p.again(ctx, c)
	}
}

// again reads the file again, and returns what counts from now on.
func (p *program) again(ctx context.Context, before config.Config) config.Config {
	c, err := p.load(ctx)
	if err == nil {
		err = p.g.SetServers(p.servers(c))
	}
	if err != nil {
		p.logger.Error("gateway: the servers stay as they were", "err", err)
		return before
	}
	was := map[string]string{}
	for _, s := range before.Servers {
		was[s.Name] = s.Definition()
	}
	var fresh, changed int
	for _, s := range c.Servers {
		old, known := was[s.Name]
		delete(was, s.Name)
		switch {
		case !known:
			fresh++
		case old != s.Definition():
			changed++
		}
	}
	p.logger.Info("gateway: read again", "file", p.file, "servers", len(c.Servers), "new", fresh, "changed", changed, "gone", len(was), "refused", len(c.Refused))
	return c
}

// fileStamp tells whether a file has changed.
type fileStamp struct {
	when time.Time
	size int64
}

func stamp(path string) fileStamp {
	info, err := os.Stat(path)
	if err != nil {
		return fileStamp{size: -1}
	}
	return fileStamp{info.ModTime(), info.Size()}
}

// ticks are those of a time; none of zero.
func ticks(d time.Duration) (<-chan time.Time, func()) {
	if d <= 0 {
		return nil, func() {}
	}
	t := time.NewTicker(d)
	return t.C, t.Stop
}
