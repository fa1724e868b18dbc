package transcript

import (
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
	header http.Header // session, Allow, WWW-Authenticate
	body   []byte
	stream bool
}

func refused(r *headers.Refusal) answer {
	a := answer{status: r.Status, header: http.Header{}, body: r.Body()}
	if r.Allow != "" {
		a.header.Set("Allow", r.Allow)
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
	op, refusal := s.site.Rules.Admit(head)
	switch {
	case refusal != nil:
		return refused(refusal), nil
	case s.site.Token != "" && r.Header.Get("Authorization") != "Bearer "+s.site.Token:
		return s.unauthorized(r), nil
	case op == headers.OpPost:
		return s.post(r, head)
	}
	if refusal := s.site.Rules.CheckSession(head); refusal != nil {
		return refused(refusal), nil
	}
	v := s.find(head.Session)
	if v == nil {
		return refused(headers.NoSession()), nil
	}
	s.current = v
	switch op {
	case headers.OpEnd:
		s.end(v)
		return answer{status: http.StatusNoContent}, nil
	}
	return s.listen(v, op, r, head)
}

// post takes in the message of a POST.
func (s *mock) post(r *Request, head headers.Head) (answer, error) {
	if len(r.Body) > s.site.MaxBody {
		return refused(headers.TooLarge()), nil
	}
	m := jsonrpc.Decode(r.Body)
	v := s.find(head.Session)
	if refusal := s.site.Rules.Check(head, m, v.revision()); refusal != nil {
		return refused(refusal), nil
	}
	var a answer
	if head.Session == "" {
		var err error
		if v, err = newVisit("session-"+strconv.Itoa(len(s.visits)+1), s.options, s.site.Streams, s.fixture, s.now); err != nil {
			return a, err
		}
		s.visits = append(s.visits, v)
		a.header = http.Header{headers.Session: {v.id}}
	}
	if v == nil {
		return refused(headers.NoSession()), nil
	}
	s.current = v
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

// listen opens a stream for what the server sends by itself, or goes on with one.
func (s *mock) listen(v *visit, op headers.Op, r *Request, head headers.Head) (answer, error) {
	v.heard = s.now
	link := &conn{v: v, slow: r.Slow}
	var err error
	var x streams.Streams
	var eff streams.Effects
	st := v.state()
	if op == headers.OpResume {
		x, st, link.c, link.after, eff, err = v.x.Resume(st, s.now, head.LastEventID)
	} else {
		x, st, link.c, eff, err = v.x.Listen(st, s.now)
	}
	if err != nil {
		return answer{status: statusOf(err)}, nil
	}
	v.moved(s.now, x, st, eff)
	s.conns = append(s.conns, link)
	return answer{status: http.StatusOK, stream: true}, nil
}

// end ends a session, and its connections with it.
func (s *mock) end(v *visit) {
	v.ended = true
	v.handled(s.now, v.m.disconnected(s.now))
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
			lines = append(lines, s.name(c)+eventLine(ev))
		}
		if c.v.ended && end == streams.Open {
			end = streams.Ended
		}
		if end != streams.Open {
			lines = append(lines, s.name(c)+ends[end])
		}
		return end != streams.Open
	})
	return lines
}

// ends are the words for why a connection is closed.
var ends = map[streams.End]string{streams.Ended: "end", streams.HungUp: "hung up", streams.Replaced: "replaced", streams.Dropped: "dropped"}

func (s *mock) name(c *conn) string { return fmt.Sprintf("[stream %d] ", c.c.Stream) }

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
