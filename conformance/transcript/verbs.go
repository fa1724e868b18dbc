package transcript

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/conformance/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// zero stands for the zero handle.
const zero = "zero"

// errDriver is the cause that the driver of a transcript gives where the script says none.
var errDriver = errors.New("driver")

// memory keeps the handles that a script names by wire id, also those that are gone.
type memory struct {
	calls map[string]lifecycle.Call
	reqs  map[string]lifecycle.Req
}

func newMemory() memory {
	return memory{calls: map[string]lifecycle.Call{}, reqs: map[string]lifecycle.Req{}}
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

// parse reads an app line for a State.
func (r *memory) parse(line string, m session.View) (verb, error) {
	name, rest, _ := strings.Cut(strings.TrimPrefix(line, "app "), " ")
	v := verb{name: name}
	var id string
	var err error
	switch name {
	case "respond", "fail", "finish", "progress", "abandon":
		id, rest = cutWord(rest)
		if v.call, err = r.call(id, m); err == nil {
			err = v.outcome(rest)
		}
	case "cancel", "sendfailed", "responselost":
		id, rest = cutWord(rest)
		if v.req, err = r.req(id, m); err == nil {
			v.text, err = restText(rest)
		}
	case "request", "notify":
		if v.null = rest == nothing || strings.HasPrefix(rest, nothing+" "); v.null {
			rest = rest[len(nothing):]
		} else {
			v.text, rest = cutWord(rest)
			if v.text, err = unquote(v.text); err == nil {
				v.body, _, rest, err = cutBody(rest)
			}
		}
		if err == nil {
			err = r.options(&v, rest, m)
		}
	case "shutdown":
		v.grace, err = time.ParseDuration(rest)
	case "catalog", "roots", "restore":
		v.list, err = words(rest)
	default:
		v.text, err = restText(rest)
	}
	return v, err
}

// outcome reads what an app line says of a call behind its id.
func (v *verb) outcome(rest string) (err error) {
	if v.name == "fail" || v.name == "finish" && strings.HasPrefix(rest, "error ") {
		v.err, err = rpcError(strings.TrimPrefix(rest, "error "))
		return err
	}
	if v.name != "progress" {
		v.body, v.null, rest, err = cutBody(rest)
		v.body += jsonrpc.Raw(rest)
		return err
	}
	if v.body, _, rest, err = cutBody(rest); err != nil {
		return err
	}
	if v.report, err = protocol.Decode[protocol.ProgressParams](v.body); err != nil {
		return err
	}
	numbers, err := words(rest)
	for _, word := range numbers { // what JSON cannot say
		key, val, _ := strings.Cut(word, "=")
		f, e := strconv.ParseFloat(val, 64)
		switch err = errors.Join(err, e); key {
		case "progress":
			v.report.Progress = f
		case "total":
			v.report.Total = &f
		default:
			err = fmt.Errorf("unknown number %q", word)
		}
	}
	return err
}

// call finds the handle of a wire id, of a number and a key (#SEQ/KEY), the zero handle, or
// one that no State made.
func (r *memory) call(id string, m session.View) (lifecycle.Call, error) {
	switch numbers, ok := strings.CutPrefix(id, "#"); {
	case ok:
		seq, key, _ := strings.Cut(numbers, "/")
		n, err := strconv.ParseUint(seq, 10, 64)
		k, e := strconv.ParseUint(key, 10, 64)
		return m.Call(n, k), errors.Join(err, e)
	case id == zero:
		return lifecycle.Call{}, nil
	case id == none:
		return lifecycle.MakeCall(nil, 1<<40, 1<<40), nil
	}
	call, ok := r.calls[id]
	if !ok {
		return call, fmt.Errorf("no call ever had the id %s", id)
	}
	return call, nil
}

// req finds the handle of a wire id, of a number (#SEQ), the zero handle, or one that no
// State made.
func (r *memory) req(id string, m session.View) (lifecycle.Req, error) {
	switch number, ok := strings.CutPrefix(id, "#"); {
	case ok:
		n, err := strconv.ParseUint(number, 10, 64)
		return m.Req(n), err
	case id == zero:
		return lifecycle.Req{}, nil
	case id == none:
		return lifecycle.MakeReq(nil, 1<<40), nil
	}
	req, ok := r.reqs[id]
	if !ok {
		return req, fmt.Errorf("no request ever had the id %s", id)
	}
	return req, nil
}

// options reads what follows the params: within=ID timeout=D maximum=D replaces=ID
// schema=JSON progress reset replace.
func (r *memory) options(v *verb, rest string, m session.View) error {
	list, err := words(rest)
	if err != nil {
		return err
	}
	for _, word := range list {
		key, val, _ := strings.Cut(word, "=")
		var err error
		switch key {
		case "within":
			v.call, err = r.call(val, m)
			v.opt.Within = v.call
		case "timeout":
			v.opt.Timeout, err = duration(val)
		case "maximum":
			v.opt.Maximum, err = duration(val)
		case "replaces":
			v.opt.Replaces, err = r.req(val, m)
		case "schema":
			v.opt.OutputSchema = jsonrpc.Raw(val)
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

// rpcError reads the error of an app line: an error object, or its members as words, which
// can say what no object does.
func rpcError(text string) (jsonrpc.Error, error) {
	if strings.HasPrefix(text, "{") {
		m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"error":` + text + `}`)
		if m.Err == nil {
			return jsonrpc.Error{}, fmt.Errorf("%s is no error object", text)
		}
		return *m.Err, nil
	}
	var e jsonrpc.Error
	list, err := words(text)
	for _, word := range list {
		key, val, _ := strings.Cut(word, "=")
		switch key {
		case "code":
			var code error
			e.Code, code = strconv.ParseInt(val, 10, 64)
			err = errors.Join(err, code)
		case "message":
			e.Message = val
		case "data":
			e.Data = jsonrpc.Raw(val)
		default:
			err = fmt.Errorf("unknown member %q", word)
		}
	}
	return e, err
}
