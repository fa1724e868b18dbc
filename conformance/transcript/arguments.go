package transcript

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// argument is the form of a verb's argument in a script. read reads it from the start of a line
// and returns the rest.
type argument struct {
	write func(r *memory, v *verbs.Verb) string
	read  func(r reading, v *verbs.Verb, rest string) (string, error)
}

// reading is a memory that finds handles for a State.
type reading struct {
	*memory
	m verbs.Machine
}

var callArg = argument{
	func(r *memory, v *verbs.Verb) string { return r.callOf(v.Call) },
	func(r reading, v *verbs.Verb, rest string) (_ string, err error) {
		id, rest := cutWord(rest)
		v.Call, err = r.call(id)
		return rest, err
	},
}

var reqArg = argument{
	func(r *memory, v *verbs.Verb) string { return r.reqOf(v.Req) },
	func(r reading, v *verbs.Verb, rest string) (_ string, err error) {
		id, rest := cutWord(rest)
		v.Req, err = r.req(id)
		return rest, err
	},
}

var resultArg = argument{
	func(_ *memory, v *verbs.Verb) string {
		if absent(v.Result) {
			return nothing
		}
		return bodyOf(string(v.Result.AppendJSON(nil)))
	},
	func(_ reading, v *verbs.Verb, rest string) (string, error) {
		body, null, rest, err := cutBody(rest)
		if !null {
			v.Result = body + jsonrpc.Raw(rest)
		}
		return "", err
	},
}

// absent reports whether an argument is nil, or a nil pointer.
func absent(v any) bool {
	return v == nil || reflect.ValueOf(v).Kind() == reflect.Pointer && reflect.ValueOf(v).IsNil()
}

// errorArg is an error object, or its members as words, for those that no object can express.
var errorArg = argument{
	func(_ *memory, v *verbs.Verb) string {
		text := string(v.Err.AppendJSON(nil))
		if back, err := rpcError(text); err == nil && back == *v.Err && bare(text) {
			return text
		}
		list := []string{fmt.Sprintf("code=%d", v.Err.Code)}
		if v.Err.Message != "" {
			list = append(list, wordOf("message="+v.Err.Message))
		}
		if v.Err.Data != "" {
			list = append(list, wordOf("data="+string(v.Err.Data)))
		}
		return strings.Join(list, " ")
	},
	func(_ reading, v *verbs.Verb, rest string) (string, error) {
		e, err := rpcError(rest)
		v.Err = &e
		return "", err
	},
}

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

var answerArg = argument{
	func(r *memory, v *verbs.Verb) string {
		if v.Err != nil {
			return "error " + errorArg.write(r, v)
		}
		return resultArg.write(r, v)
	},
	func(r reading, v *verbs.Verb, rest string) (string, error) {
		if text, ok := strings.CutPrefix(rest, "error "); ok {
			return errorArg.read(r, v, text)
		}
		return resultArg.read(r, v, rest)
	},
}

// progressArg is the params of progress. Numbers that JSON lacks follow them.
var progressArg = argument{
	func(_ *memory, v *verbs.Verb) string {
		p := v.Progress
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
			p.ProgressToken = jsonrpc.Int(0) // replaced by State
		}
		return bodyOf(string(p.AppendJSON(nil))) + rest
	},
	func(_ reading, v *verbs.Verb, rest string) (string, error) {
		body, _, rest, err := cutBody(rest)
		if err != nil {
			return "", err
		}
		if v.Progress, err = protocol.Decode[protocol.ProgressParams](body); err != nil {
			return "", err
		}
		numbers, err := words(rest)
		for _, word := range numbers {
			key, val, _ := strings.Cut(word, "=")
			f, e := strconv.ParseFloat(val, 64)
			switch err = errors.Join(err, e); key {
			case "progress":
				v.Progress.Progress = f
			case "total":
				v.Progress.Total = &f
			default:
				err = fmt.Errorf("unknown number %q", word)
			}
		}
		return "", err
	},
}

// paramsArg is a method and its params.
var paramsArg = argument{
	func(_ *memory, v *verbs.Verb) string {
		if absent(v.Params) {
			return nothing
		}
		name := v.Params.Method()
		if name == nothing {
			name = quote(name)
		} else {
			name = wordOf(name)
		}
		body := string(v.Params.AppendJSON(nil))
		_, isRaw := v.Params.(protocol.RawRequest)
		if raw, err := protocol.EncodeParams(v.Params); err == nil && !isRaw {
			body = string(raw) // typed params that are empty are omitted, raw ones are not
		}
		if body != "" {
			return name + " " + bodyOf(body)
		}
		return name
	},
	func(_ reading, v *verbs.Verb, rest string) (_ string, err error) {
		if rest == nothing || strings.HasPrefix(rest, nothing+" ") {
			return rest[len(nothing):], nil
		}
		var p protocol.RawRequest
		p.Name, rest = cutWord(rest)
		if p.Name, err = unquote(p.Name); err == nil {
			p.Body, _, rest, err = cutBody(rest)
		}
		v.Params = p
		return rest, err
	},
}

// optionsArg is the options of a request; for a notification, its call.
var optionsArg = argument{
	func(r *memory, v *verbs.Verb) string {
		opt := v.Options
		if v.Op == verbs.OpNotify {
			opt.Within = v.Call
		}
		var list []string
		add := func(given bool, word string) {
			if given {
				list = append(list, word)
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
		return strings.Join(list, " ")
	},
	func(r reading, v *verbs.Verb, rest string) (string, error) {
		list, err := words(rest)
		for _, word := range list {
			key, val, _ := strings.Cut(word, "=")
			var bad error
			switch opt := &v.Options; key {
			case "within":
				v.Call, bad = r.call(val)
				opt.Within = v.Call
			case "timeout":
				opt.Timeout, bad = duration(val)
			case "maximum":
				opt.Maximum, bad = duration(val)
			case "replaces":
				opt.Replaces, bad = r.req(val)
			case "schema":
				opt.OutputSchema = jsonrpc.Raw(val)
			case "progress":
				opt.Progress = true
			case "reset":
				opt.ResetOnProgress = true
			case "replace":
				opt.ReplaceToken = true
			default:
				bad = fmt.Errorf("unknown option %q", word)
			}
			err = errors.Join(err, bad)
		}
		return "", err
	},
}

var reasonArg = argument{
	func(_ *memory, v *verbs.Verb) string { return restOf(v.Reason) },
	func(_ reading, v *verbs.Verb, rest string) (_ string, err error) {
		v.Reason, err = restText(rest)
		return "", err
	},
}

// causeArg is nil or a text. Without it, the cause is errDriver.
var causeArg = argument{
	func(_ *memory, v *verbs.Verb) string {
		switch {
		case v.Cause == nil:
			return nothing
		case v.Cause.Error() == errDriver.Error():
			return ""
		}
		return restOf(v.Cause.Error())
	},
	func(_ reading, v *verbs.Verb, rest string) (string, error) {
		text, err := restText(rest)
		switch text {
		case nothing:
		case "":
			v.Cause = errDriver
		default:
			v.Cause = errors.New(text)
		}
		return "", err
	},
}

// pausedArg is on or off.
var pausedArg = argument{
	func(_ *memory, v *verbs.Verb) string { return map[bool]string{true: "on", false: "off"}[v.Paused] },
	func(_ reading, v *verbs.Verb, rest string) (_ string, err error) {
		if v.Paused = rest == "on"; !v.Paused && rest != "off" {
			err = fmt.Errorf("%q: want on or off", rest)
		}
		return "", err
	},
}

var graceArg = argument{
	func(_ *memory, v *verbs.Verb) string { return v.Grace.String() },
	func(_ reading, v *verbs.Verb, rest string) (_ string, err error) {
		v.Grace, err = time.ParseDuration(rest)
		return "", err
	},
}

// catalogArg is the options of a Catalog, as for Server.
var catalogArg = argument{
	func(_ *memory, v *verbs.Verb) string {
		var list []string
		for _, option := range v.Said {
			list = append(list, wordOf(option))
		}
		return strings.Join(list, " ")
	},
	func(_ reading, v *verbs.Verb, rest string) (_ string, err error) {
		if v.Said, err = words(rest); err != nil {
			return "", err
		}
		cfg, err := Server(v.Said)
		v.Catalog = cfg.Catalog
		return "", err
	},
}

// rootsArg is roots: uris, or JSON if a root has more members.
var rootsArg = argument{
	func(_ *memory, v *verbs.Verb) string {
		var list []string
		for _, root := range v.Roots {
			if (root == protocol.Root{URI: root.URI}) && !strings.HasPrefix(root.URI, "{") {
				list = append(list, wordOf(root.URI))
			} else {
				list = append(list, wordOf(string(root.AppendJSON(nil))))
			}
		}
		return strings.Join(list, " ")
	},
	func(_ reading, v *verbs.Verb, rest string) (string, error) {
		list, err := words(rest)
		for _, word := range list {
			root := protocol.Root{URI: word}
			if strings.HasPrefix(word, "{") {
				var bad error
				root, bad = protocol.Decode[protocol.Root](jsonrpc.Raw(word))
				err = errors.Join(err, bad)
			}
			v.Roots = append(v.Roots, root)
		}
		return "", err
	},
}
