package transcript

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server/streams"
)

// mock is a server of Streamable HTTP that is put together from the pure machines alone, as
// the author of a transport would: headers judge a request, a State and its Streams take in
// the message, and connections read what is there for them.
type mock struct {
	site    Site
	options []string // of the Config of its sessions
	fixture bool
	now     time.Time
	visits  []*visit // all that there ever were
	conns   []*conn  // those that are open, in the order in which they came
	current *visit   // the one that was spoken of last
	closing bool
}

// conn is a connection that reads a stream.
type conn struct {
	v     *visit
	c     streams.Conn
	after int
	slow  bool
}

// answer is what a request is answered at once; a stream comes behind it.
type answer struct {
	status int
	header http.Header
	body   []byte
	stream bool
}

func refused(r *headers.Refusal) answer {
	a := answer{status: r.Status, header: http.Header{}, body: r.Body()}
	for _, f := range r.Fields() {
		a.header.Add(f.Name, f.Value)
	}
	return a
}

func (s *mock) find(id string) *visit {
	for _, v := range s.visits {
		if v.id == id && !v.ended {
			return v
		}
	}
	return nil
}

// serve answers a request.
func (s *mock) serve(r *Request) (answer, error) {
	host := r.Host
	if host == "" {
		host = defaultHost
	}
	head := headers.Read(r.Method, host, r.Header.Values)
	if refusal := s.site.Rules.Guard(head); refusal != nil {
		return refused(refusal), nil
	}
	if refusal := s.site.authorize(r.Header); refusal != nil {
		return refused(refusal), nil
	}
	op, refusal := s.site.Rules.Admit(head)
	switch {
	case refusal != nil:
		return refused(refusal), nil
	case op == headers.OpPost:
		return s.post(r, head)
	}
	v := s.find(head.Session)
	if v == nil {
		return refused(headers.NoSession()), nil
	}
	s.current, v.heard = v, s.now
	if op == headers.OpEnd {
		v.end(s.now)
		return answer{status: http.StatusNoContent}, nil
	}
	return s.listen(v, op, r.Slow, head.LastEventID), nil
}

// post takes in the message of a POST.
func (s *mock) post(r *Request, head headers.Head) (answer, error) {
	if len(r.Body) > s.site.MaxBody {
		return refused(headers.Refuse(http.StatusRequestEntityTooLarge, "the body is too large")), nil
	}
	m := jsonrpc.Decode(r.Body)
	if refusal := s.site.Rules.Check(head, m); refusal != nil {
		return refused(refusal), nil
	}
	var a answer
	v := s.find(head.Session)
	if !head.HasSession {
		var err error
		if v, err = s.open(); err != nil {
			return a, err
		}
	}
	if v == nil {
		return refused(headers.NoSession()), nil
	}
	if s.current, v.heard = v, s.now; !head.HasSession {
		a.header = http.Header{headers.Session: {v.id}}
	}
	reply := v.post(s.now, m)
	a.status, a.body = reply.Status, reply.Body
	if reply.Status != http.StatusOK || reply.Body != nil {
		return a, nil
	}
	if body, ok := v.x.Answer(reply.Conn); ok {
		x, st, eff := v.x.Answered(v.state(), s.now, reply.Conn)
		v.moved(s.now, x, st, eff)
		a.body = body
		return a, nil
	}
	x, st, eff := v.x.Begin(v.state(), s.now, reply.Conn)
	v.moved(s.now, x, st, eff)
	a.stream = true
	s.conns = append(s.conns, &conn{v: v, c: reply.Conn, slow: r.Slow})
	return a, nil
}

// open begins a session.
func (s *mock) open() (*visit, error) {
	v, err := newVisit("session-"+strconv.Itoa(len(s.visits)+1), s.options, s.site.Streams, s.fixture, s.now)
	s.visits = append(s.visits, v)
	return v, err
}

// listen opens a stream for what the server sends by itself, or goes on with one.
func (s *mock) listen(v *visit, op headers.Op, slow bool, last string) answer {
	c := &conn{v: v, slow: slow}
	var err error
	var x streams.Streams
	var eff streams.Effects
	st := v.state()
	if op == headers.OpResume {
		x, st, c.c, c.after, eff, err = v.x.Resume(st, s.now, last)
	} else {
		x, st, c.c, eff, err = v.x.Listen(st, s.now)
	}
	v.moved(s.now, x, st, eff)
	if c.c == (streams.Conn{}) {
		return refused(refusalOf(err))
	}
	s.conns = append(s.conns, c)
	return answer{status: http.StatusOK, stream: true}
}

// refusalOf is the answer to a GET that leads to no stream.
func refusalOf(err error) *headers.Refusal {
	switch {
	case errors.Is(err, streams.ErrListeners):
		r := headers.Refuse(http.StatusMethodNotAllowed, "no streams")
		r.Allow = "POST, DELETE"
		return r
	case errors.Is(err, streams.ErrDropped):
		return headers.Refuse(http.StatusGone, "events are no longer kept")
	}
	return headers.Refuse(http.StatusBadRequest, "unknown event id")
}

// cut loses the connection that reads a stream.
func (s *mock) cut(stream uint64) error {
	i := slices.IndexFunc(s.conns, func(c *conn) bool { return c.v == s.current && uint64(c.c.Stream) == stream })
	if i < 0 {
		return fmt.Errorf("nobody reads stream %d", stream)
	}
	c := s.conns[i]
	s.conns = slices.Delete(s.conns, i, i+1)
	x, st, eff := c.v.x.Detach(c.v.state(), s.now, c.c)
	c.v.moved(s.now, x, st, eff)
	return nil
}

// read returns what connections have to read, those of slow peers only if they are asked.
func (s *mock) read(asked uint64) (lines []string) {
	s.conns = slices.DeleteFunc(s.conns, func(c *conn) bool {
		if c.slow && uint64(c.c.Stream) != asked {
			return false
		}
		events, end := c.v.x.Read(c.c, c.after)
		for _, ev := range events {
			c.after = ev.N
			lines = append(lines, c.name()+eventLine(ev))
		}
		if len(events) > 0 {
			c.v.x = c.v.x.Wrote(s.now, c.c, c.after)
		}
		if end == streams.Open && !c.v.ended {
			return false
		}
		lines = append(lines, c.name()+"end")
		return true
	})
	return lines
}

func (c *conn) name() string { return fmt.Sprintf("[stream %d] ", c.c.Stream) }

// eventLine writes an event of a stream as a line of a script.
func eventLine(ev streams.Event) string {
	var b strings.Builder
	if ev.ID != "" {
		b.WriteString("id=" + ev.ID + " ")
	}
	if ev.Retry != 0 {
		fmt.Fprintf(&b, "retry=%v ", ev.Retry)
	}
	if ev.Data == "" {
		return b.String() + "prime"
	}
	return b.String() + "< " + ev.Data
}
