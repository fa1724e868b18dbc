package toolerror

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
)

// Payload returns e as JSON for a model, as AppendPayload writes it with no options.
func (e *Error) Payload() protocol.Raw { return protocol.Raw(e.AppendPayload(nil, Options{})) }

// AppendPayload appends e as a JSON object, whose members are, in this order: isError, which is
// true; toolName; errorType, the code of the kind; message, one sentence; and, if set, text,
// exceptionType (of an Execution), parameterErrors (of InvalidArguments: a list of parameterName,
// path, kind, message, expectedType, receivedType and availableParameters), requiredParameters (of
// NullArguments), availableTools, durationMs (of a Timeout) or retryAfterMs, attempts, mayHaveRun,
// code, data and error. The names of types in expectedType and receivedType are those of JSON
// Schema, so that they can be compared.
func (e *Error) AppendPayload(dst []byte, o Options) []byte {
	v := e.value()
	message := v.message(o)
	w := writer{rawjson.Writer{Dst: append(dst, `{"isError":true`...)}}
	w.quoted("toolName", clip(v.Tool, maxName))
	w.quoted("errorType", v.Kind.Code())
	w.quoted("message", message)
	if v.Kind != Handler {
		w.Text("text", v.text(o))
	}
	if o.Text && v.Kind.known() == Execution {
		w.Text("exceptionType", clip(v.Exception, maxName))
	}
	if list := v.parameters(o); v.Kind != NullArguments {
		w.parameters(list)
	} else if len(list) > 0 {
		w.names("requiredParameters", list[0].Names)
	}
	w.names("availableTools", v.names(o))
	after := "retryAfterMs"
	if v.Kind == Timeout {
		after = "durationMs"
	}
	w.Number(after, uint64(millis(v.After)))
	w.Number("attempts", uint64(max(0, v.Attempts)))
	w.Flag("mayHaveRun", v.MayHaveRun)
	if o.Text && v.Kind == RemoteRPC {
		w.Raw("code", strconv.FormatInt(v.Code, 10))
		w.Raw("data", string(v.data()))
	}
	if o.Legacy {
		w.quoted("error", message)
	}
	return append(w.Dst, '}')
}

// data returns the data if it may be sent.
func (e Error) data() protocol.Raw {
	if len(e.Data) > maxData || !rawjson.Valid(string(e.Data)) {
		return ""
	}
	return e.Data
}

// writer writes members, and lists that are not empty.
type writer struct{ rawjson.Writer }

// quoted is Text for a member that is always there.
func (w *writer) quoted(name, val string) {
	w.Name(name)
	w.Dst = rawjson.AppendQuote(w.Dst, val)
}

func (w *writer) parameters(list schema.ArgumentErrors) {
	if len(list) == 0 {
		return
	}
	w.Name("parameterErrors")
	w.Dst = append(w.Dst, '[')
	for _, p := range list {
		w.Separate()
		w.Dst = append(w.Dst, '{')
		w.quoted("parameterName", parameterName(p.Path))
		w.quoted("path", p.Path)
		w.quoted("kind", p.Kind.Code())
		w.quoted("message", p.Error())
		w.Text("expectedType", bare(p.Want))
		w.Text("receivedType", p.Got)
		w.names("availableParameters", p.Names)
		w.Dst = append(w.Dst, '}')
	}
	w.Dst = append(w.Dst, ']')
}

func (w *writer) names(member string, names []string) {
	if len(names) == 0 {
		return
	}
	w.Name(member)
	w.Dst = append(w.Dst, '[')
	for _, name := range names {
		w.Separate()
		w.Dst = rawjson.AppendQuote(w.Dst, name)
	}
	w.Dst = append(w.Dst, ']')
}

// ParsePayload reads what AppendPayload has written, or a program that has the same names for fewer
// members, up to 1 MiB of it. The names of parameterErrors that earlier versions wrote (errorType,
// expected, received, availableNames) are read too. Payload of the result is the same text. ok is
// false for other text. The result is a copy.
func ParsePayload(raw protocol.Raw) (e *Error, ok bool) {
	text := string(raw)
	if len(text) > maxRead || !rawjson.Valid(text) {
		return nil, false
	}
	if failed, _ := rawjson.Get(text, "isError"); failed != "true" {
		return nil, false
	}
	code := rawjson.Text(text, "errorType")
	kind := KindOf(code)
	tool, there := rawjson.Get(text, "toolName")
	if kind == 0 || !there || tool[0] != '"' {
		return nil, false
	}
	e = &Error{Kind: kind, Tool: clip(rawjson.Text(text, "toolName"), maxName), Text: clip(rawjson.Text(text, "text"), maxText)}
	ran, _ := rawjson.Get(text, "mayHaveRun")
	e.MayHaveRun = ran == "true"
	if message := rawjson.Text(text, "message"); kind == Handler && message != (Error{Kind: Handler, Tool: e.Tool, MayHaveRun: e.MayHaveRun}).message(Options{}) {
		e.Text = clip(message, maxText)
	}
	if list, ok := rawjson.Get(text, "parameterErrors"); ok && (kind == InvalidArguments || kind == NullArguments) {
		e.Parameters = parseParameters(list)
	}
	if list, ok := rawjson.Get(text, "requiredParameters"); ok && kind == NullArguments {
		e.Parameters = schema.ArgumentErrors{{Kind: schema.ArgumentNull, Want: "an object", Names: parseNames(list)}}
	}
	if kind == Execution {
		e.Exception = clip(rawjson.Text(text, "exceptionType"), maxName)
	}
	if list, ok := rawjson.Get(text, "availableTools"); ok && kind == UnknownTool {
		e.Names = parseNames(list)
	}
	name := "retryAfterMs"
	if kind == Timeout {
		name = "durationMs"
	}
	e.After = time.Duration(number(text, name, math.MaxInt64/int64(time.Millisecond))) * time.Millisecond
	e.Attempts = int(number(text, "attempts", math.MaxInt32))
	if kind == RemoteRPC {
		val, _ := rawjson.Get(text, "code")
		e.Code, _ = rawjson.Int(val)
		data, _ := rawjson.Get(text, "data")
		e.Data = protocol.Raw(data)
		e.Data = e.data()
	}
	return e.clone(), true
}

// number returns an integer from zero to most, zero if there is none.
func number(raw, name string, most int64) int64 {
	val, _ := rawjson.Get(raw, name)
	n, _ := rawjson.Int(val)
	return max(0, min(n, most))
}

func parseNames(raw string) (list []string) {
	a, _ := rawjson.Elements(raw)
	for val := range a.All {
		if s, ok := rawjson.Unquote(val); ok && len(list) < maxList {
			list = append(list, s)
		}
	}
	return hints(list)
}

func parseParameters(raw string) (list schema.ArgumentErrors) {
	a, _ := rawjson.Elements(raw)
	for val := range a.All {
		if len(list) == maxFault {
			break
		}
		p := &schema.ArgumentError{
			Path: strings.Clone(clip(rawjson.Text(val, "path"), maxPath)), Kind: schema.ArgumentKindOf(either(val, "kind", "errorType")),
			Want: phrase(strings.Clone(clip(either(val, "expectedType", "expected"), maxPath))), Got: strings.Clone(clip(either(val, "receivedType", "received"), maxName)),
		}
		if _, there := rawjson.Get(val, "path"); !there {
			p.Path = strings.Clone(clip(pointer(rawjson.Text(val, "parameterName")), maxPath))
		}
		names, there := rawjson.Get(val, "availableParameters")
		if !there {
			names, _ = rawjson.Get(val, "availableNames")
		}
		if p.Names = parseNames(names); p.Kind != 0 {
			list = append(list, p)
		}
	}
	return list
}
