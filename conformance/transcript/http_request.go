package transcript

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/protocol/headers"
)

// methods are the first words of a request line.
var methods = []string{http.MethodPost, http.MethodGet, http.MethodDelete, http.MethodPut}

// Request is what a peer sends over HTTP in a step of a file with transport http. Its
// Header is complete, with the defaults of a client.
type Request struct {
	Method string      // POST, GET, DELETE, PUT
	Host   string      // "" for that of the connection
	Header http.Header // without Host
	Body   []byte      // nil for none
	Slow   bool        // the peer reads the answer only when a step says so
}

// place has the defaults of a request.
type place struct {
	session  string                       // the id, or "" without one yet
	version  string                       // of the negotiated revision, or "" before
	token    string                       // for the Authorization header
	sessions func(string) (string, error) // the id for a name in the script
}

// isRequest reports whether a line is a request of an HTTP peer.
func isRequest(line string) bool {
	word, _, _ := strings.Cut(line, " ")
	return slices.Contains(methods, word)
}

// request reads a request line, see the package comment.
func request(line string, at place) (*Request, error) {
	head, body, hasBody := cutBodyMark(line)
	list, err := words(head)
	if err != nil {
		return nil, err
	}
	r := &Request{Method: list[0], Header: http.Header{}}
	if hasBody {
		if r.Body, err = input("> " + body); err != nil {
			return nil, err
		}
		if !strings.HasPrefix(body, quoted) {
			r.Body = []byte(strings.TrimSuffix(string(r.Body), "\n"))
		}
	}
	at.defaults(r, hasBody)
	given := map[string]bool{}
	for _, word := range list[1:] {
		if err := r.word(word, at, given); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// cutBodyMark cuts a request line at the mark before its body.
func cutBodyMark(line string) (head, body string, ok bool) {
	rest := line
	for rest != "" {
		var word string
		before := len(line) - len(rest)
		if word, rest = cutWord(rest); word == ">" {
			return line[:before], rest, true
		}
	}
	return line, "", false
}

// defaults sets the headers that a client sends.
func (at place) defaults(r *Request, body bool) {
	set := func(name, value string) {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	switch {
	case r.Method == http.MethodGet:
		set("Accept", "text/event-stream")
	case body:
		set("Accept", "application/json, text/event-stream")
		set("Content-Type", "application/json")
	}
	set(headers.Session, at.session)
	set(headers.Version, at.version)
	set("Authorization", at.token)
}

// fields are the words of a request line that set a header and cannot omit it.
var fields = map[string]string{
	"session": headers.Session, "version": headers.Version, "last": headers.LastEventID,
	"accept": "Accept", "type": "Content-Type", "origin": "Origin", "auth": "Authorization",
}

// word reads one of the words between the method and the body. The first that names a header
// replaces the client's value; others are added.
func (r *Request) word(word string, at place, given map[string]bool) (err error) {
	key, val, ok := strings.Cut(word, "=")
	name := fields[key]
	switch {
	case word == "slow":
		r.Slow = true
		return nil
	case key == "host" && ok:
		r.Host = val
		return nil
	case name == "" || !ok:
		return fmt.Errorf("unknown word %q", word)
	case !given[name]:
		r.Header.Del(name)
	}
	if given[name] = true; val == none {
		return nil
	}
	if val, err = unquote(val); err == nil && key == "session" {
		val, err = at.sessions(val)
	}
	r.Header.Add(name, val)
	return err
}
