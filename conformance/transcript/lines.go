package transcript

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// heard returns the line of a message of the peer: as the text is, where a stream of lines
// would lead to the same message.
func heard(text string) string {
	switch {
	case strings.TrimSpace(text) == "" || strings.ContainsAny(text, "\r\n") || strings.HasPrefix(text, "\ufeff"):
		return "> message " + quote(text)
	case !bare(text) || strings.HasPrefix(text, quoted) || strings.HasPrefix(text, "message ") || strings.HasPrefix(text, "repeat "):
		return "> quoted " + quote(text+"\n")
	}
	return "> " + text
}

// callOf names a Call: by the wire id, if that still leads to it.
func (r *memory) callOf(call lifecycle.Call) string {
	if call.IsZero() {
		return zero
	}
	best := ""
	for id, c := range r.calls { // more than one where a new session counts from 1 again
		if c.Seq() == call.Seq() && c.Key() == call.Key() && named(id) && (best == "" || id < best) {
			best = id
		}
	}
	if best != "" {
		return best
	}
	return fmt.Sprintf("#%d/%d", call.Seq(), call.Key())
}

func (r *memory) reqOf(req lifecycle.Req) string {
	if req.IsZero() {
		return zero
	}
	for id, q := range r.reqs { // one at most: the id is the number
		if q.Seq() == req.Seq() && named(id) {
			return id
		}
	}
	return "#" + strconv.FormatUint(req.Seq(), 10)
}

// named reports whether a script can name something by the wire id.
func named(id string) bool {
	word, rest := cutWord(id + " x")
	return word == id && rest == "x" && bare(id)
}

// absent reports whether an argument is nil, or a nil pointer.
func absent(v any) bool {
	return v == nil || reflect.ValueOf(v).Kind() == reflect.Pointer && reflect.ValueOf(v).IsNil()
}

func resultOf(result protocol.Result) string {
	if absent(result) {
		return nothing
	}
	return bodyOf(string(result.AppendJSON(nil)))
}

// paramsOf writes a method and its params.
func paramsOf(p protocol.Params) string {
	if absent(p) {
		return nothing
	}
	name := p.Method()
	if name == nothing {
		name = quote(name)
	} else {
		name = wordOf(name)
	}
	body := string(p.AppendJSON(nil))
	if raw, err := protocol.EncodeParams(p); err == nil && !isRaw(p) {
		body = string(raw) // typed params that are empty are left out, raw ones are not
	}
	if body != "" {
		return name + " " + bodyOf(body)
	}
	return name
}

func isRaw(p protocol.Params) bool {
	_, raw := p.(protocol.RawRequest)
	return raw
}

// errorOf writes an error as rpcError reads it.
func errorOf(e jsonrpc.Error) string {
	text := string(e.AppendJSON(nil))
	if back, err := rpcError(text); err == nil && back == e && bare(text) {
		return text
	}
	list := []string{fmt.Sprintf("code=%d", e.Code)}
	if e.Message != "" {
		list = append(list, wordOf("message="+e.Message))
	}
	if e.Data != "" {
		list = append(list, wordOf("data="+string(e.Data)))
	}
	return strings.Join(list, " ")
}

// answerOf writes what finish is given.
func answerOf(a lifecycle.Answer) string {
	if a.Err != nil {
		return "error " + errorOf(*a.Err)
	}
	return resultOf(a.Result)
}

// reportOf writes progress: numbers that JSON does not have stand behind it.
func reportOf(p protocol.ProgressParams) string {
	var rest string
	finite := func(name string, f *float64) {
		if math.IsNaN(*f) || math.IsInf(*f, 0) {
			rest += fmt.Sprintf(" %s=%v", name, *f)
			*f = 0
		}
	}
	finite("progress", &p.Progress)
	if p.Total != nil {
		total := *p.Total
		finite("total", &total)
		p.Total = &total
	}
	if p.ProgressToken.IsZero() {
		p.ProgressToken = jsonrpc.Int(0) // which State puts its own for
	}
	return bodyOf(string(p.AppendJSON(nil))) + rest
}

// optionsOf writes the options of a request.
func (r *memory) optionsOf(opt lifecycle.RequestOptions) string {
	var list []string
	add := func(given bool, word string) {
		if given {
			list = append(list, " "+word)
		}
	}
	add(!opt.Within.IsZero(), "within="+r.callOf(opt.Within))
	add(opt.Timeout != 0, "timeout="+durationOf(opt.Timeout))
	add(opt.Maximum != 0, "maximum="+durationOf(opt.Maximum))
	add(!opt.Replaces.IsZero(), "replaces="+r.reqOf(opt.Replaces))
	add(opt.OutputSchema != "", wordOf("schema="+string(opt.OutputSchema)))
	add(opt.Progress, "progress")
	add(opt.ResetOnProgress, "reset")
	add(opt.ReplaceToken, "replace")
	return strings.Join(list, "")
}

// rootsOf writes roots: the uri, where there is nothing more, or JSON.
func rootsOf(roots []protocol.Root) string {
	var list []string
	for _, root := range roots {
		if (root == protocol.Root{URI: root.URI}) && !strings.HasPrefix(root.URI, "{") {
			list = append(list, wordOf(root.URI))
		} else {
			list = append(list, wordOf(string(root.AppendJSON(nil))))
		}
	}
	return strings.Join(list, " ")
}

// readRoots reads the words of rootsOf.
func readRoots(list []string) (roots []protocol.Root, err error) {
	for _, word := range list {
		root := protocol.Root{URI: word}
		if strings.HasPrefix(word, "{") {
			if root, err = protocol.Decode[protocol.Root](jsonrpc.Raw(word)); err != nil {
				return nil, err
			}
		}
		roots = append(roots, root)
	}
	return roots, nil
}

// causeOf writes the cause that a verb was given, as verb.cause reads it.
func causeOf(cause error) string {
	switch {
	case cause == nil:
		return " " + nothing
	case cause.Error() == errDriver.Error():
		return ""
	}
	return " " + restOf(cause.Error())
}

// configLines writes options as lines of a head, of a length that can be read.
func configLines(options []string) (lines []string) {
	line := "# config:"
	for _, option := range options {
		word := wordOf(option)
		if line != "# config:" && len(line)+len(word) > 140 {
			lines, line = append(lines, line), "# config:"
		}
		line += " " + word
	}
	if line != "# config:" {
		lines = append(lines, line)
	}
	return slices.Clip(lines)
}
