package transcript

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
)

// Endpoint is a server of Streamable HTTP that is configured as the Site of a file and runs
// the fixture application.
type Endpoint struct {
	// URL is its address.
	URL string
	// Transport carries the requests.
	Transport http.RoundTripper
	// Settle returns when nothing more will happen by itself. Without it a line that does not
	// arrive within 5 seconds counts as missing, and an extra one is found later.
	Settle func()
	// Shutdown ends all sessions after a grace time; it may return at once.
	Shutdown func(grace time.Duration)
	// Notify sends a notification to the session with an id.
	Notify func(session string, n protocol.Params) error
	// HangUp closes the connection of the newest call of ask (fixture.Watched),
	// and tells the client to reconnect after a time.
	HangUp func(retry time.Duration) error
}

// OverHTTP runs a file whose Socket is true against a real server, byte for byte: it sends
// the peer's messages and expects the file's, each on its stream and in
// its order there. Events, errors of verbs and phases are not visible. Time really passes.
// At the end nothing may be left over. An error says which step differed.
func (f *File) OverHTTP(at Endpoint, r protocol.Revision) error {
	if !f.Socket {
		return fmt.Errorf("%s is not for a server of HTTP, or not marked wire", f.Path)
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &player{at: at, f: f, revision: r, ctx: ctx}
	err := p.run()
	cancel()
	for _, c := range p.all {
		<-c.over
	}
	if err != nil {
		return fmt.Errorf("%s, %v, over HTTP: %w", f.Path, r, err)
	}
	return nil
}

// player plays the client of a file.
type player struct {
	at       Endpoint
	f        *File
	revision protocol.Revision
	ctx      context.Context
	sessions []string             // their ids, in the order in which they began
	current  string               // the one last used
	reading  map[string][]*reader // by the name of the stream; of several the newest has replaced the others
	all      []*reader
}

func (p *player) run() error {
	p.reading = map[string][]*reader{}
	if p.f.Ready {
		for _, line := range p.f.greeting() {
			if lines, err := p.request(strings.ReplaceAll(line, "${revision}", p.revision.String()), ""); err != nil || !strings.HasPrefix(lines[0], "status 20") {
				return fmt.Errorf("the handshake: %v, %w", lines, err)
			}
		}
	}
	for i, s := range p.f.Steps {
		if err := p.step(s); err != nil {
			return fmt.Errorf("step %d, %.200s: %w", i+1, s.Input, err)
		}
	}
	return p.rest()
}

// step does the input, and checks that the expected lines follow.
func (p *player) step(s Step) error {
	line := strings.ReplaceAll(s.Input, "${revision}", p.revision.String())
	var direct []string // what answers at once
	var err error
	want := p.wanted(s)
	switch word, rest, _ := strings.Cut(strings.TrimPrefix(line, "app "), " "); {
	case isRequest(line):
		direct, err = p.request(line, want.stream)
	case isLink(line):
		err = p.cut(strings.TrimPrefix(line, "cut "))
	case strings.HasPrefix(line, "@ "):
		err = pass(line)
	case word == "shutdown":
		var grace time.Duration
		if grace, err = time.ParseDuration(rest); err == nil {
			p.at.Shutdown(grace)
		}
	case word == "hangup":
		var retry time.Duration
		if retry, err = time.ParseDuration(rest); err == nil {
			_ = p.at.HangUp(retry) // its effect is visible
		}
	default:
		err = p.notify(rest)
	}
	if err != nil {
		return err
	}
	if p.at.Settle != nil {
		p.at.Settle()
	}
	if direct = p.general(direct); !slices.Equal(direct, want.direct) {
		return fmt.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(direct, "\n\t"), strings.Join(want.direct, "\n\t"))
	}
	for _, line := range want.streams {
		if err := p.expect(line); err != nil {
			return err
		}
	}
	if p.at.Settle != nil {
		return p.rest()
	}
	return nil
}

// wanted are the lines of a step that a client sees.
type wanted struct {
	stream  string // the stream that is the answer
	direct  []string
	streams []string
}

func (p *player) wanted(s Step) (w wanted) {
	for _, line := range p.f.Wanted(s, p.revision) {
		line = strings.ReplaceAll(line, "${revision}", p.revision.String())
		switch word, _, _ := strings.Cut(line, " "); word {
		case "status":
			_, w.stream, _ = strings.Cut(line, " stream ")
			w.direct = append(w.direct, line)
		case "header", "json", "text":
			w.direct = append(w.direct, line)
		case "[stream":
			w.streams = append(w.streams, line)
		}
	}
	return w
}

// request makes a request and returns its answer. An answer that is a stream is read
// as the stream of the name.
func (p *player) request(line, stream string) ([]string, error) {
	at := place{session: p.current, sessions: p.id}
	if p.current != "" && p.revision.VersionHeader() {
		at.version = p.revision.String()
	}
	if p.f.Site.Token != "" {
		at.token = "Bearer " + p.f.Site.Token
	}
	r, err := request(line, at)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(p.ctx)
	watch := time.AfterFunc(patience, cancel)
	req, err := http.NewRequestWithContext(ctx, r.Method, p.at.URL, strings.NewReader(string(r.Body)))
	if err != nil {
		cancel()
		return nil, err
	}
	req.Header, req.Host = r.Header, r.Host
	resp, err := p.at.Transport.RoundTrip(req)
	if err != nil || !watch.Stop() {
		cancel()
		return nil, errors.Join(err, errors.New("no answer came"))
	}
	p.spoken(r.Header.Get(headers.Session), resp.Header.Get(headers.Session))
	a := answer{status: resp.StatusCode, header: resp.Header}
	if headers.IsEventStream(resp.Header.Get(headers.ContentType)) {
		c := &reader{body: resp.Body, stop: cancel, lines: make(chan string, 1024), over: make(chan struct{})}
		c.stream, _ = strconv.ParseUint(stream, 10, 64)
		p.reading[stream] = append(p.reading[stream], c)
		p.all = append(p.all, c)
		go c.read()
		lines := a.lines()
		lines[0] += " stream " + stream
		return lines, nil
	}
	defer cancel()
	defer func() { _ = resp.Body.Close() }()
	watch.Reset(patience)
	if a.body, err = io.ReadAll(resp.Body); err != nil {
		return nil, err
	}
	if len(a.body) > 0 && !headers.IsJSON(resp.Header.Get(headers.ContentType)) {
		return append(a.lines()[:1], "text < "+string(a.body)), nil
	}
	return a.lines(), nil
}

// spoken records the session that a request was for, or that it began.
func (p *player) spoken(asked, given string) {
	if given != "" && !slices.Contains(p.sessions, given) {
		p.sessions = append(p.sessions, given)
		asked = given
	}
	if slices.Contains(p.sessions, asked) {
		p.current = asked
	}
}

// id returns the session id for a name.
func (p *player) id(name string) (string, error) {
	n, err := strconv.Atoi(name)
	switch {
	case err != nil:
		return name, nil
	case n < 1 || n > len(p.sessions):
		return "", fmt.Errorf("there is no session %d", n)
	}
	return p.sessions[n-1], nil
}

// general writes names for session ids.
func (p *player) general(lines []string) []string {
	for i, id := range p.sessions {
		for j, line := range lines {
			lines[j] = strings.ReplaceAll(line, id, sessionName(i))
		}
	}
	return lines
}

func pass(line string) error {
	d, err := time.ParseDuration(strings.TrimPrefix(line, "@ +"))
	time.Sleep(d)
	return err
}

func (p *player) notify(rest string) error {
	method, body, _ := strings.Cut(rest, " ")
	params, _, _, err := cutBody(body)
	if err != nil {
		return err
	}
	return p.at.Notify(p.current, protocol.RawRequest{Name: method, Body: params})
}
