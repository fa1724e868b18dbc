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
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/protocol/toolerror"
	"github.com/sansmcp/mcp/server/streams"
)

// mock is a server of Streamable HTTP combined only from the pure machines, as
// the author of a transport would: headers check a request, a State and its Streams handle
// the message, and connections read their streams.
type mock struct {
	site    Site
	rules   headers.Rules
	options []string // of the Config of its sessions
	fixture bool
	now     time.Time
	visits  []*visit // all so far
	conns   []*conn  // the open ones, in the order of arrival
	current *visit   // the one last used
	closing bool     // no new requests; then the last call has ended
	closed  bool     // nothing
}

// conn is a connection that reads a stream.
type conn struct {
	v     *visit
	c     streams.Conn
	after int
	slow  bool
}

// answer is the immediate answer to a request; a stream follows it.
type answer struct {
	status int
	header http.Header
	body   []byte
	stream streams.ID // of an answer that is a stream
}

func refused(r *headers.Refusal) answer {
	a := answer{status: r.Status, header: http.Header{}, body: r.Body()}
	for _, f := range r.Fields() {
		a.header.Add(f.Name, f.Value)
	}
	return a
}

// find returns the session with an id, or nil if there is none or it has ended.
func (s *mock) find(id string) *visit {
	for _, v := range s.visits {
		if v.id != id {
			continue
		}
		if s.current = v; !v.ended {
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
	if s.closed {
		return s.busy(), nil
	}
	head := headers.Read(r.Method, host, r.Header.Values)
	if refusal := s.rules.Guard(head); refusal != nil {
		return refused(refusal), nil
	}
	if refusal := s.site.authorize(s.now, r.Header, r.Method); refusal != nil {
		return refused(refusal), nil
	}
	op, refusal := s.rules.Admit(head)
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

// post handles the message of a POST.
func (s *mock) post(r *Request, head headers.Head) (answer, error) {
	if len(r.Body) > s.site.MaxBody {
		return refused(headers.Refuse(http.StatusRequestEntityTooLarge, http.StatusText(http.StatusRequestEntityTooLarge))), nil
	}
	m := jsonrpc.Decode(r.Body)
	if refusal := s.site.authorize(s.now, r.Header, r.Method, m); refusal != nil {
		return refused(refusal), nil
	}
	request := m.Kind == jsonrpc.KindRequest
	opens := request && m.Method == string(protocol.MethodInitialize) && head.Session == ""
	if request && !opens && head.Session == "" {
		return s.sessionless(m)
	}
	if refusal := s.rules.Check(head, m); refusal != nil {
		return refused(refusal), nil
	}
	if s.closing && (request || m.Kind == jsonrpc.KindBatch) {
		return s.busy(), nil
	}
	if opens {
		return s.begin(m)
	}
	v := s.find(head.Session)
	if v == nil {
		return refused(headers.NoSession()), nil
	}
	v.heard = s.now
	reply := v.post(s.now, m)
	a := answer{status: reply.Status, body: reply.Body}
	if reply.Status == http.StatusBadRequest && reply.Body == nil {
		return s.unreadable(m), nil
	}
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
	a.stream = reply.Conn.Stream
	s.conns = append(s.conns, &conn{v: v, c: reply.Conn, slow: r.Slow})
	return a, nil
}

// unreadable answers a text that a session has no answer to.
func (s *mock) unreadable(m jsonrpc.Message) answer {
	if refusal := s.rules.Check(headers.Head{}, m); refusal != nil && m.Kind == jsonrpc.KindInvalid {
		return refused(refusal)
	}
	return refused(headers.Refuse(http.StatusBadRequest, "message not allowed in this session phase"))
}

// begin opens a session, if the State accepts the initialize.
func (s *mock) begin(m jsonrpc.Message) (answer, error) {
	if s.open() >= s.site.MaxSessions {
		return s.busy(), nil
	}
	v, err := newVisit("session-"+strconv.Itoa(len(s.visits)+1), s.options, s.site.Streams, s.fixture, s.now)
	if err != nil {
		return answer{}, err
	}
	reply := v.post(s.now, m)
	a := answer{status: reply.Status, body: reply.Body}
	if v.m.Phase() == lifecycle.Initializing {
		s.visits = append(s.visits, v)
		s.current = v
		a.header = http.Header{headers.Session: {v.id}}
	}
	return a, nil
}

// open returns the number of open sessions.
func (s *mock) open() (n int) {
	for _, v := range s.visits {
		if !v.ended {
			n++
		}
	}
	return n
}

// sessionless answers a request without a session with 400, and with the error that a
// new State would answer.
func (s *mock) sessionless(m jsonrpc.Message) (answer, error) {
	v, err := newVisit("", s.options, s.site.Streams, false, s.now)
	if err != nil {
		return answer{}, err
	}
	reply := jsonrpc.Message{Kind: jsonrpc.KindError, ID: m.ID, Err: &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "a session is needed"}}
	if out := v.m.receive(s.now, m); len(out.Send) > 0 && out.Send[0].Message.Kind == jsonrpc.KindError {
		reply = out.Send[0].Message
	}
	return answer{status: http.StatusBadRequest, body: jsonrpc.Append(nil, reply.Spelled(m.Spelling()))}, nil
}

// busy answers a request that was not processed.
func (s *mock) busy() answer {
	text := "server busy; retry after 1s"
	if s.closed || s.closing {
		text = "server shutting down; retry after 1s"
	}
	bad := headers.Refuse(http.StatusServiceUnavailable, text)
	bad.Err.Data = (&toolerror.Error{Kind: toolerror.Unavailable, After: time.Second}).Payload()
	return refused(bad)
}

// listen opens a stream for the server's own messages, or resumes one.
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
	return answer{status: http.StatusOK, stream: c.c.Stream}
}

// refusalOf answers a GET without a stream.
func refusalOf(err error) *headers.Refusal {
	switch {
	case errors.Is(err, streams.ErrListeners):
		r := headers.Refuse(http.StatusMethodNotAllowed, "there are no streams to listen to")
		r.Allow = "POST, DELETE"
		return r
	case errors.Is(err, streams.ErrDropped):
		return headers.Refuse(http.StatusGone, "events after this id were dropped; start a new stream")
	}
	return headers.Refuse(http.StatusBadRequest, "no event of this session has this id")
}

// cut breaks the connection that reads a stream.
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

// read returns what connections read, those of slow peers only if asked.
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
		if end == streams.Open && !c.v.ended && !s.closed {
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
	switch {
	case ev.Data != "":
		b.WriteString("< " + ev.Data)
	case ev.ID != "":
		b.WriteString("prime")
	}
	return strings.TrimSuffix(b.String(), " ")
}
