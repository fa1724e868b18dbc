package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/sansmcp/mcp/docs/examples/gateway/config"
)

// watch reads the file again when it has changed and on the signal, and shows the status on
// request, until ctx ends. c is the file when it was first read, and read its stamp before that.
func (p *program) watch(ctx context.Context, c config.Config, read fileStamp) {
	look, stopLook := ticks(p.check)
	defer stopLook()
	show, stopShow := ticks(p.status)
	defer stopShow()
	seen := read // the last stamp
	for {
		select {
		case <-ctx.Done():
			return
		case <-look:
			now := stamp(p.file)
			if now != seen || now == read { // it may still be written
				seen = now
				continue
			}
		case <-p.reload:
		case <-show:
			_, _ = p.g.Status().WriteTo(p.log) // it never fails
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

// again reads the file again, and returns the Config that applies from now on.
func (p *program) again(ctx context.Context, before config.Config) config.Config {
	c, err := p.load(ctx)
	if n := len(c.Refused); err == nil && p.strict && n > 0 {
		err = fmt.Errorf("%s: %d entries are refused, and -strict is set", p.file, n)
	}
	if err == nil {
		c.Servers = p.kept(before.Servers, c)
		p.current.Store(&c)
		p.forget(before, c)
		if err = p.g.SetServers(p.servers(c, "")); err != nil {
			p.current.Store(&before)
		}
	}
	if err != nil {
		p.logger.Error("gateway: servers unchanged", "err", err)
		return before
	}
	p.g.SetNotes(notes(before.Servers, c))
	was := map[string]config.Server{}
	for _, s := range before.Servers {
		was[s.Name] = s
	}
	var fresh, changed int
	for _, s := range c.Servers {
		old, known := was[s.Name]
		delete(was, s.Name)
		switch {
		case !known:
			fresh++
		case old.Definition() != s.Definition() || !old.Filter.Equal(s.Filter):
			changed++
		}
	}
	p.logger.Info("gateway: read again", "file", p.file, "servers", len(c.Servers), "new", fresh, "changed", changed, "gone", len(was), "refused", len(c.Refused))
	return c
}

// kept returns the servers of c, and those of before whose entry has a fault now: an entry that is
// being edited ends no server.
func (p *program) kept(before []config.Server, c config.Config) []config.Server {
	list := slices.Clone(c.Servers)
	for _, s := range before {
		if !c.Refuses(s.Name) {
			continue
		}
		at := slices.IndexFunc(list, func(o config.Server) bool { return o.Line > s.Line }) // its former position
		if at < 0 {
			at = len(list)
		}
		list = slices.Insert(list, at, s)
		p.logger.Warn("gateway: faulty entry; server keeps its former definition", "server", s.Name)
	}
	return list
}

// notes describe the entries that are not a server, or not the one in the file.
func notes(before []config.Server, c config.Config) (list []string) {
	for _, r := range c.Refused {
		note := fmt.Sprintf("server %s: left out: %s", r.Name, r.Faults[0].Error())
		if slices.ContainsFunc(before, func(s config.Server) bool { return s.Name == r.Name }) {
			note = fmt.Sprintf("server %s: faulty entry, keeps its former definition: %s", r.Name, r.Faults[0].Error())
		}
		list = append(list, note)
	}
	for _, name := range c.Disabled {
		list = append(list, fmt.Sprintf("server %s: disabled", name))
	}
	return list
}

// fileStamp shows whether a file has changed.
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

// ticks returns a ticker's channel; nil for zero.
func ticks(d time.Duration) (<-chan time.Time, func()) {
	if d <= 0 {
		return nil, func() {}
	}
	t := time.NewTicker(d)
	return t.C, t.Stop
}
