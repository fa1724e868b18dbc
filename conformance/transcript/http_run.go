package transcript

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/headers"
)

// defaultHost is the default Host of a request.
const defaultHost = "127.0.0.1:8080"

// siteRunner runs a file for a server of Streamable HTTP.
type siteRunner struct {
	f   *File
	opt Options
	s   mock
}

func (f *File) runSite(opt Options) (*siteRunner, error) {
	options := f.Options(opt.Revision)
	cfg, err := Server(options)
	if err != nil {
		return nil, err
	}
	r := &siteRunner{f: f, opt: opt, s: mock{site: f.Site, rules: f.Site.Rules, options: options, fixture: f.Socket, now: start}}
	if r.s.rules.Revisions = cfg.Revisions; !f.Ready {
		return r, nil
	}
	for _, line := range f.greeting() {
		if _, err := r.step(line); err != nil {
			return nil, err
		}
	}
	if r.s.current.m.Phase() != lifecycle.Ready {
		return nil, errors.New("the handshake failed")
	}
	return r, nil
}

// greeting is the handshake as requests.
func (f *File) greeting() (lines []string) {
	for _, line := range f.handshake() {
		lines = append(lines, "POST "+line)
	}
	return lines
}

func (r *siteRunner) close() {
	for _, v := range r.s.visits {
		if v.app != nil {
			v.app.close()
		}
	}
}

// step runs one input and returns its effects.
func (r *siteRunner) step(line string) (lines []string, err error) {
	line = strings.ReplaceAll(line, "${revision}", r.opt.Revision.String())
	before := map[*visit]lifecycle.Phase{}
	for _, v := range r.s.visits {
		before[v] = v.m.Phase()
		v.out = lifecycle.Output{}
	}
	var asked uint64
	var failure error
	var in jsonrpc.Message
	switch {
	case isRequest(line):
		lines, in, err = r.request(line)
	case isLink(line):
		l, _ := parseLink(line)
		if asked = l.stream; l.cut {
			err = r.s.cut(l.stream)
		}
	case strings.HasPrefix(line, "@ "):
		err = r.wait(line[2:])
	case !strings.HasPrefix(line, "app "):
		err = errors.New("a site has no such line")
	case r.s.current == nil:
		err = errors.New("there is no session yet")
	case strings.HasPrefix(line, "app shutdown "):
		r.s.closing = true
	default:
		failure, err = r.s.current.do(r.s.now, line)
	}
	if err != nil {
		return nil, err
	}
	r.s.drain()
	lines = append(lines, r.s.read(asked)...)
	for _, v := range r.s.visits {
		out, m, refused := v.out, in, failure
		if out.Send = nil; v != r.s.current {
			m, refused = jsonrpc.Message{}, nil
		}
		lines = append(lines, describe(out, refused, before[v], v.m.Phase())...)
		if v.ended {
			continue
		}
		if err := v.settle(r.s.site.Streams, r.s.now, r.opt.Reload); err != nil {
			return nil, err
		}
		if r.opt.Watch != nil {
			if err := r.opt.Watch(v.m.Machine, m, v.out); err != nil {
				return nil, err
			}
		}
	}
	return r.s.general(r.f.general(lines, r.opt.Revision.String())), nil
}

// request runs a request line.
func (r *siteRunner) request(line string) ([]string, jsonrpc.Message, error) {
	req, err := request(line, r.s.place())
	if err != nil {
		return nil, jsonrpc.Message{}, err
	}
	a, err := r.s.serve(req)
	if err != nil {
		return nil, jsonrpc.Message{}, err
	}
	return a.lines(), jsonrpc.Decode(req.Body), nil
}

// lines writes an answer.
func (a answer) lines() []string {
	form := ""
	switch {
	case a.stream != 0:
		form = fmt.Sprintf(" stream %d", a.stream)
	case len(a.body) > 0:
		form = " json"
	}
	lines := []string{fmt.Sprintf("status %d%s", a.status, form)}
	for _, name := range shown {
		for _, value := range a.header.Values(name) {
			lines = append(lines, "header "+name+" "+value)
		}
	}
	if len(a.body) > 0 {
		lines = append(lines, "json < "+string(a.body))
	}
	return lines
}

// shown are the headers of an answer that a script shows.
var shown = []string{headers.Session, headers.Allow, headers.Authenticate}

// place returns the defaults of a request.
func (s *mock) place() place {
	at := place{sessions: s.id}
	if s.site.Token != "" {
		at.token = "Bearer " + s.site.Token
	}
	if v := s.current; v != nil { // even if it has ended
		at.session = v.id
		if rev := v.m.Revision(); rev.VersionHeader() {
			at.version = rev.String()
		}
	}
	return at
}

// id returns the id for a name in a script: a number is the session of that
// number, in the order in which they began, any other text is the id itself.
func (s *mock) id(name string) (string, error) {
	n, err := strconv.Atoi(name)
	switch {
	case err != nil:
		return name, nil
	case n < 1 || n > len(s.visits):
		return "", fmt.Errorf("there is no session %d", n)
	}
	return s.visits[n-1].id, nil
}

// wait lets time pass, and ends inactive sessions.
func (r *siteRunner) wait(text string) error {
	s := &r.s
	if text != "next" {
		d, err := time.ParseDuration(strings.TrimPrefix(text, "+"))
		if err != nil {
			return err
		}
		s.now = s.now.Add(d)
	} else {
		due, waits := time.Time{}, false
		for _, v := range s.visits {
			if at, ok := v.next(); ok && !v.ended && (!waits || at.Before(due)) {
				due, waits = at, true
			}
		}
		if !waits {
			return errors.New("nothing is due")
		}
		s.now = due
	}
	s.tick()
	return nil
}

// tick ticks all sessions.
func (s *mock) tick() {
	for _, v := range s.visits {
		if v.ended {
			continue
		}
		v.tick(s.now)
		connected := slices.ContainsFunc(s.conns, func(c *conn) bool { return c.v == v })
		if connected || v.m.Status().Inbound > 0 {
			v.heard = s.now
		} else if s.now.Sub(v.heard) >= s.site.Idle {
			v.end(s.now)
		}
	}
}

// drain ends everything once no call runs, if the server is shutting down.
func (s *mock) drain() {
	s.closed = s.closing && !slices.ContainsFunc(s.visits, func(v *visit) bool { return !v.ended && v.m.Status().Inbound > 0 })
}

// general replaces session ids by their places in the order of all.
func (s *mock) general(lines []string) []string {
	for i := len(s.visits) - 1; i >= 0; i-- {
		for j, line := range lines {
			lines[j] = strings.ReplaceAll(line, s.visits[i].id, sessionName(i))
		}
	}
	return lines
}

// sessionName is the name of a session id in a script.
func sessionName(i int) string { return fmt.Sprintf("${session %d}", i+1) }
