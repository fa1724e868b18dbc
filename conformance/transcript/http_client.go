package transcript

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/sse"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/headers"
)

// reply is an act of an HTTP server in a step of a file for clients: a part of the
// answer to the request with a number.
type reply struct {
	request int
	status  int         // with the head
	header  http.Header // of it
	body    []byte      // a whole JSON body
	event   *sse.Event
	closed  bool // the answer has ended or broken off, or there was none
}

var answerLine = regexp.MustCompile(`^\[([0-9]+)\] (status |json > |> |id=|event=|retry=|prime|closed$)`)

// isAnswer reports whether a line is an act of an HTTP server.
func isAnswer(line string) bool { return answerLine.MatchString(line) }

// parseReply reads such a line, see the package comment.
func parseReply(line string) (r reply, err error) {
	part := answerLine.FindStringSubmatch(line)
	if r.request, err = strconv.Atoi(part[1]); err != nil {
		return r, err
	}
	_, text, _ := strings.Cut(line, "] ")
	switch part[2] {
	case "closed":
		r.closed = true
	case "status ":
		return r, r.head(text)
	case "json > ":
		r.body, err = input(strings.TrimPrefix(text, "json "))
	default:
		r.event, err = parseEvent(text)
	}
	return r, err
}

// head reads "status 200 sse session=S auth=CHALLENGE".
func (r *reply) head(text string) error {
	list, err := words(text)
	if err != nil || len(list) < 2 {
		return errors.Join(err, fmt.Errorf("%q names no status", text))
	}
	r.header = http.Header{}
	if r.status, err = strconv.Atoi(list[1]); err != nil {
		return err
	}
	for _, word := range list[2:] {
		switch key, val, _ := strings.Cut(word, "="); key {
		case "sse":
			r.header.Set(headers.ContentType, headers.EventStream)
		case "json":
			r.header.Set(headers.ContentType, headers.JSON)
		case "type":
			r.header.Set(headers.ContentType, val)
		case "session":
			r.header.Set(headers.Session, val)
		case "auth":
			if val, err = unquote(val); err != nil {
				return err
			}
			r.header.Add(headers.Authenticate, val)
		default:
			return fmt.Errorf("unknown word %q", word)
		}
	}
	return nil
}

// parseEvent reads "id=ID retry=D > DATA" or, for one without data, "id=ID retry=D prime".
func parseEvent(text string) (*sse.Event, error) {
	ev := new(sse.Event)
	for {
		word, rest := cutWord(text)
		key, val, _ := strings.Cut(word, "=")
		var err error
		switch {
		case word == ">":
			data, err := input(text)
			ev.Data = strings.TrimSuffix(string(data), "\n")
			return ev, err
		case word == "prime":
			return ev, nil
		case key == "id":
			ev.HasID = true
			ev.ID, err = unquote(val)
		case key == "event":
			ev.Name = val
		case key == "retry":
			ev.HasRetry = true
			ev.Retry, err = time.ParseDuration(val)
		default:
			err = fmt.Errorf("unknown word %q", word)
		}
		if err != nil {
			return nil, err
		}
		text = rest
	}
}

// errand is one exchange of a client with the message that it is about.
type errand struct {
	number int
	x      exchange.Exchange
	ticket exchange.Ticket
	m      lifecycle.Outgoing // zero for the GET stream
	said   exchange.Phase     // already shown
}

// lines describes the outcome of an errand: a request to make, a time to wait, an end.
func (e *errand) lines(now time.Time, all bool) (lines []string) {
	phase := e.x.Phase()
	if phase == e.said {
		return nil
	}
	name := fmt.Sprintf("[%d] ", e.number)
	switch e.said = phase; phase {
	case exchange.Requesting:
		lines = append(lines, name+e.request(all))
	case exchange.Waiting:
		lines = append(lines, name+"resume in "+e.x.At().Sub(now).String())
	case exchange.Done:
		lines = append(lines, name+"done")
	case exchange.Lost:
		lines = append(lines, name+"lost: "+failureText(e.x.Failure()))
	}
	return lines
}

// request writes the request to make, with the headers that vary.
func (e *errand) request(all bool) string {
	op := e.x.Op()
	words := []string{op.Method()}
	for _, f := range e.x.Fields() {
		if usual := f.Name == headers.Accept || f.Name == headers.ContentType; all || !usual {
			words = append(words, wordFor(f))
		}
	}
	if op == headers.OpPost {
		words = append(words, "< "+string(jsonrpc.Append(nil, e.m.Message)))
	}
	return strings.Join(words, " ")
}

// end writes the request that ends a session.
func end(s exchange.Session) string {
	words := []string{headers.MethodDelete}
	for _, f := range headers.RequestFields(headers.OpEnd, s.ID, s.Revision, "") {
		words = append(words, wordFor(f))
	}
	return strings.Join(words, " ")
}

// wordFor writes a header field as a word of a request line.
func wordFor(f headers.Field) string {
	for word, name := range fields {
		if name == f.Name {
			return wordOf(word + "=" + f.Value)
		}
	}
	return wordOf("header=" + f.Name + ":" + f.Value)
}

// reasons are the words for why an exchange is lost.
var reasons = map[exchange.Reason]string{
	exchange.NoResponse: "no response", exchange.NoAnswer: "no answer", exchange.Exhausted: "exhausted", exchange.SessionGone: "session gone",
	exchange.Unauthorized: "unauthorized", exchange.Legacy: "legacy", exchange.NotServed: "not served", exchange.Refused: "refused", exchange.WrongType: "wrong type",
	exchange.NotSent: "not sent", exchange.Rejected: "rejected",
}

func failureText(f exchange.Failure) string {
	text := reasons[f.Reason]
	if f.Status != 0 {
		text += " " + strconv.Itoa(f.Status)
	}
	if f.Err != nil {
		text += " " + string(f.Err.AppendJSON(nil))
	}
	if f.Challenge != (headers.Challenge{}) {
		text += " " + f.Challenge.String()
	}
	return text
}
