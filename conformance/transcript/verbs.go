package transcript

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
)

// zero stands for the zero handle.
const zero = "zero"

// errDriver is the cause in a script that names none.
var errDriver = errors.New("driver")

// memory has the handles that a script names by wire id, including closed ones.
type memory struct {
	calls map[string]lifecycle.Call
	reqs  map[string]lifecycle.Req
}

func newMemory() memory {
	return memory{calls: map[string]lifecycle.Call{}, reqs: map[string]lifecycle.Req{}}
}

// bind replaces the handles by those of a restored State.
func (r *memory) bind(m verbs.View) {
	for id, c := range r.calls {
		r.calls[id] = m.Call(c.Seq(), c.Key())
	}
	for id, q := range r.reqs {
		r.reqs[id] = m.Req(q.Seq())
	}
}

// note records the open handles.
func (r *memory) note(m verbs.View) {
	for c := range m.Inbound() {
		r.calls[c.ID.String()] = c.Call
	}
	for q := range m.Outbound() {
		r.reqs[q.ID.String()] = q.Req
	}
}

// act is the content of an app line: a verb, or a restore.
type act struct {
	verb    verbs.Verb
	restore bool
	options []string // of restore
}

// form is the form of a verb in a script: its name, and its arguments in order.
type form struct {
	op   verbs.Op
	name string
	args []argument
}

var forms = []form{
	{verbs.OpInitialize, "initialize", nil},
	{verbs.OpRespond, "respond", []argument{callArg, resultArg}},
	{verbs.OpFail, "fail", []argument{callArg, errorArg}},
	{verbs.OpFinish, "finish", []argument{callArg, answerArg}},
	{verbs.OpProgress, "progress", []argument{callArg, progressArg}},
	{verbs.OpRequest, "request", []argument{paramsArg, optionsArg}},
	{verbs.OpNotify, "notify", []argument{paramsArg, optionsArg}},
	{verbs.OpCancel, "cancel", []argument{reqArg, reasonArg}},
	{verbs.OpSendFailed, "sendfailed", []argument{reqArg, causeArg}},
	{verbs.OpResponseLost, "responselost", []argument{reqArg, causeArg}},
	{verbs.OpAbandon, "abandon", []argument{callArg}},
	{verbs.OpInputClosed, "inputclosed", nil},
	{verbs.OpDisconnected, "disconnected", []argument{causeArg}},
	{verbs.OpShutdown, "shutdown", []argument{graceArg}},
	{verbs.OpAbort, "abort", []argument{causeArg}},
	{verbs.OpReset, "reset", nil},
	{verbs.OpOffer, "catalog", []argument{catalogArg}},
	{verbs.OpOffer, "roots", []argument{rootsArg}},
	{verbs.OpPause, "pause", []argument{reqArg, pausedArg}},
	{verbs.OpNewSession, "newsession", nil},
}

// parse reads an app line for a State.
func (r *memory) parse(line string, m verbs.Machine) (act, error) {
	name, rest, _ := strings.Cut(strings.TrimPrefix(line, "app "), " ")
	if name == "restore" {
		options, err := words(rest)
		return act{restore: true, options: options}, err
	}
	i := slices.IndexFunc(forms, func(f form) bool { return f.name == name })
	if i < 0 || name == "catalog" && m.Party() == lifecycle.Client || name == "roots" && m.Party() == lifecycle.Server {
		return act{}, fmt.Errorf("there is no verb %q", name)
	}
	v := verbs.Verb{Op: forms[i].op}
	for _, arg := range forms[i].args {
		var err error
		if rest, err = arg.read(reading{r, m}, &v, rest); err != nil {
			return act{}, err
		}
	}
	return act{verb: v}, nil
}

// line writes a verb for a State in the form that parse reads.
func (r *memory) line(m verbs.Machine, v *verbs.Verb) string {
	switch v.Op {
	case verbs.OpReceive:
		return heard(strings.Join(v.Said, " "))
	case verbs.OpTick:
		return tick
	}
	i := slices.IndexFunc(forms, func(f form) bool { return f.op == v.Op })
	if v.Op == verbs.OpOffer && m.Party() == lifecycle.Client {
		i++ // roots
	}
	line := "app " + forms[i].name
	for _, arg := range forms[i].args {
		if text := arg.write(r, v); text != "" {
			line += " " + text
		}
	}
	return line
}

// call finds the handle of a wire id, of a number and a key (#SEQ/KEY), the zero handle, or
// one that no State made.
func (r reading) call(id string) (lifecycle.Call, error) {
	switch numbers, ok := strings.CutPrefix(id, "#"); {
	case ok:
		seq, key, _ := strings.Cut(numbers, "/")
		n, err := strconv.ParseUint(seq, 10, 64)
		k, e := strconv.ParseUint(key, 10, 64)
		return r.m.Call(n, k), errors.Join(err, e)
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
func (r reading) req(id string) (lifecycle.Req, error) {
	switch number, ok := strings.CutPrefix(id, "#"); {
	case ok:
		n, err := strconv.ParseUint(number, 10, 64)
		return r.m.Req(n), err
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
