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

// AppendPayload appends e as a JSON object, whose members are, in this order: isError, which
// is true; toolName; errorType, the code of the kind; message, one sentence; and where there
// is something to say text, exceptionType (of an Execution), parameterErrors (of
// InvalidArguments: a list of parameterName, path, kind, message, expectedType, receivedType
// and availableParameters), requiredParameters (of NullArguments), availableTools, durationMs
// (of a Timeout) or retryAfterMs, attempts, mayHaveRun, code, data and error. The names of types in
// expectedType and receivedType are those of JSON Schema, so that they can be compared.
func (e *Error) AppendPayload(dst []byte, o Options) []byte {
	v := e.value()
	message := v.message(o)
	dst = quoted(append(dst, `{"isError":true`...), "toolName", clip(v.Tool, maxName))
	dst = quoted(dst, "errorType", v.Kind.Code())
	dst = quoted(dst, "message", message)
	if text := v.text(o); text != "" && v.Kind != Handler {
		dst = quoted(dst, "text", text)
	}
	if o.Text && v.Kind.known() == Execution && v.Exception != "" {
		dst = quoted(dst, "exceptionType", clip(v.Exception, maxName))
	}
	if list := v.parameters(o); v.Kind != NullArguments {
		dst = appendParameters(dst, list)
	} else if len(list) > 0 {
		dst = appendNames(dst, "requiredParameters", list[0].Names)
	}
	dst = appendNames(dst, "availableTools", v.names(o))
	switch ms := millis(v.After); {
	case ms > 0 && v.Kind == Timeout:
		dst = strconv.AppendInt(append(dst, `,"durationMs":`...), ms, 10)
	case ms > 0:
		dst = strconv.AppendInt(append(dst, `,"retryAfterMs":`...), ms, 10)
	}
	if v.Attempts > 0 {
		dst = strconv.AppendInt(append(dst, `,"attempts":`...), int64(v.Attempts), 10)
	}
	if v.MayHaveRun {
		dst = append(dst, `,"mayHaveRun":true`...)
	}
	if o.Text && v.Kind == RemoteRPC {
		dst = strconv.AppendInt(append(dst, `,"code":`...), v.Code, 10)
		if data := v.data(); data != "" {
			dst = append(append(dst, `,"data":`...), data...)
		}
	}
	if o.Legacy {
		dst = quoted(dst, "error", message)
	}
	return append(dst, '}')
}

// data returns the data if it may be sent.
func (e Error) data() protocol.Raw {
	if len(e.Data) > maxData || !rawjson.Valid(string(e.Data)) {
		return ""
	}
	return e.Data
}

func quoted(dst []byte, name, val string) []byte {
	dst = rawjson.AppendQuote(append(dst, ','), name)
	return rawjson.AppendQuote(append(dst, ':'), val)
}

func appendParameters(dst []byte, list schema.ArgumentErrors) []byte {
	for i, p := range list {
		if i == 0 {
			dst = append(dst, `,"parameterErrors":[`...)
		} else {
			dst = append(dst, ',')
		}
		dst = rawjson.AppendQuote(append(dst, `{"parameterName":`...), parameterName(p.Path))
		dst = quoted(dst, "path", p.Path)
		dst = quoted(dst, "kind", p.Kind.Code())
		dst = quoted(dst, "message", p.Error())
		if p.Want != "" {
			dst = quoted(dst, "expectedType", bare(p.Want))
		}
		if p.Got != "" {
			dst = quoted(dst, "receivedType", p.Got)
		}
		dst = append(appendNames(dst, "availableParameters", p.Names), '}')
	}
	if len(list) > 0 {
		dst = append(dst, ']')
	}
	return dst
}

func appendNames(dst []byte, member string, names []string) []byte {
	for i, name := range names {
		if i == 0 {
			dst = append(rawjson.AppendQuote(append(dst, ','), member), ":["...)
		} else {
			dst = append(dst, ',')
		}
		dst = rawjson.AppendQuote(dst, name)
	}
	if len(names) > 0 {
		dst = append(dst, ']')
	}
	return dst
}

// ParsePayload reads what AppendPayload has written, or a program that has the same names for
// fewer members, up to 1 MiB of it. The names of parameterErrors that earlier versions wrote
// (errorType, expected, received, availableNames) are read too. What was not written
// is not there: Payload of the result is the same again. ok is false for anything else. What
// it returns is a copy.
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
	for len(list) < maxList {
		val, more := a.Next()
		if !more {
			break
		}
		if s, ok := rawjson.Unquote(val); ok {
			list = append(list, s)
		}
	}
	return hints(list)
}

func parseParameters(raw string) (list schema.ArgumentErrors) {
	a, _ := rawjson.Elements(raw)
	for len(list) < maxFault {
		val, more := a.Next()
		if !more {
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
