package transcript

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sansmcp/mcp/conformance/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// errDriver is the cause that the driver of a transcript gives.
var errDriver = errors.New("driver")

// memory keeps the handles that a script names by wire id, also those that are gone.
type memory struct {
	calls map[string]lifecycle.Call
	reqs  map[string]lifecycle.Req
}

// bind makes the handles those of a State that was restored.
func (r *memory) bind(m session.View) {
	for id, c := range r.calls {
		r.calls[id] = m.Call(c.Seq(), c.Key())
	}
	for id, q := range r.reqs {
		r.reqs[id] = m.Req(q.Seq())
	}
}

// note remembers the handles that are open now.
func (r *memory) note(m session.View) {
	for c := range m.Inbound() {
		r.calls[c.ID.String()] = c.Call
	}
	for q := range m.Outbound() {
		r.reqs[q.ID.String()] = q.Req
	}
}

// parse reads an app line.
func (r *memory) parse(line string) (verb, error) {
	words := strings.TrimPrefix(line, "app ")
	name, rest, _ := strings.Cut(words, " ")
	v := verb{name: name}
	var err error
	switch name {
	case "respond", "fail", "finish", "progress", "abandon":
		id, body, _ := strings.Cut(rest, " ")
		v.body = jsonrpc.Raw(body)
		v.call, err = r.call(id)
	case "cancel", "sendfailed":
		id, reason, _ := strings.Cut(rest, " ")
		v.text = reason
		v.req, err = r.req(id)
	case "request", "notify":
		v.text, rest, _ = strings.Cut(rest, " ")
		v.body, rest = cutJSON(rest)
		err = r.options(&v, rest)
	case "shutdown":
		v.grace, err = time.ParseDuration(rest)
	default:
		v.text = rest
	}
	return v, err
}

func (r *memory) call(id string) (lifecycle.Call, error) {
	if id == "none" {
		return lifecycle.MakeCall(nil, 1<<40, 1<<40), nil
	}
	call, ok := r.calls[id]
	if !ok {
		return call, fmt.Errorf("no call ever had the id %s", id)
	}
	return call, nil
}

func (r *memory) req(id string) (lifecycle.Req, error) {
	if id == "none" {
		return lifecycle.MakeReq(nil, 1<<40), nil
	}
	req, ok := r.reqs[id]
	if !ok {
		return req, fmt.Errorf("no request ever had the id %s", id)
	}
	return req, nil
}

// options reads what follows the params: within=ID timeout=D maximum=D progress reset
// replace.
func (r *memory) options(v *verb, rest string) error {
	for _, word := range strings.Fields(rest) {
		key, val, _ := strings.Cut(word, "=")
		var err error
		switch key {
		case "within":
			v.call, err = r.call(val)
			v.opt.Within = v.call
		case "timeout":
			v.opt.Timeout, err = duration(val)
		case "maximum":
			v.opt.Maximum, err = duration(val)
		case "progress":
			v.opt.Progress = true
		case "reset":
			v.opt.ResetOnProgress = true
		case "replace":
			v.opt.ReplaceToken = true
		default:
			err = fmt.Errorf("unknown option %q", word)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func duration(s string) (time.Duration, error) {
	if s == "none" {
		return lifecycle.NoTimeout, nil
	}
	return time.ParseDuration(s)
}

// cutJSON cuts the JSON object at the start of s off, if there is one.
func cutJSON(s string) (body jsonrpc.Raw, rest string) {
	if !strings.HasPrefix(s, "{") && !strings.HasPrefix(s, "[") && !strings.HasPrefix(s, `"`) {
		return "", s
	}
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if depth == 0 && !quoted {
			return jsonrpc.Raw(s[:i+1]), s[i+1:]
		}
	}
	return jsonrpc.Raw(s), ""
}

// rpcError reads the error object of an app fail line.
func rpcError(body jsonrpc.Raw) jsonrpc.Error {
	m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"error":` + string(body) + `}`)
	if m.Err == nil {
		return jsonrpc.Error{}
	}
	return *m.Err
}
