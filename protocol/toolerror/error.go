package toolerror

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
)

const (
	maxText  = 4096     // bytes of a text
	maxSaid  = 200      // of a text of a peer in Error
	maxName  = 128      // of the name of a tool
	maxPath  = 256      // of the path of an argument, and of what it has to be
	maxData  = 64 << 10 // of the data of a JSON-RPC error
	maxRead  = 1 << 20  // of a payload; none that is written is as long
	maxList  = 20       // names
	maxFault = 16       // faults of arguments
)

// Error is the error of one call of a tool. Only Kind is required. A nil *Error prints as "<nil>",
// and is otherwise written as the zero Error, an Execution.
type Error struct {
	// Kind is what went wrong.
	Kind Kind
	// Tool is the name of the tool.
	Tool string
	// Text has details. That of a Handler is for the model; for all other kinds it is written only
	// with Options.Text, which package server does not set: to send text to the model a tool returns
	// Failure.
	Text string
	// Parameters are the faults of the arguments (InvalidArguments), or say that the arguments
	// are absent (NullArguments).
	Parameters schema.ArgumentErrors
	// Names are the available tools, as a hint (UnknownTool). Unknown sets them.
	Names []string
	// After is the timeout (Timeout), or the delay after which another call may succeed (all other
	// kinds); zero if unknown.
	After time.Duration
	// Attempts is how often the call was tried; zero if unknown.
	Attempts int
	// MayHaveRun is true if an earlier attempt may have had effects, although Kind says that the
	// call did not begin or was answered.
	MayHaveRun bool
	// Code and Data are those of the JSON-RPC error (RemoteRPC), whose message is Text.
	Code int64
	Data protocol.Raw // at most 64 KiB
	// Remote is true if the error comes from a peer: then all texts and names except Tool are the
	// peer's, and are written only with Options.Text.
	Remote bool
	// Exception is the type of the error of a crash, such as *fs.PathError (Execution). It is
	// written only with Options.Text. From sets it.
	Exception string
	// Cause is for the program, with errors.Is and errors.As. It is never written.
	Cause error
}

// Options say how an Error is written. The zero value leaks nothing.
type Options struct {
	// Text includes the texts of peers, crashes and connections.
	Text bool
	// Legacy adds the member "error", with the message again, for readers of the older form.
	Legacy bool
}

// Unknown returns the error for a tool that does not exist. available has the names of all tools.
func Unknown(tool string, available []string) *Error {
	return &Error{Kind: UnknownTool, Tool: tool, Names: schema.Hints(available)}
}

// Failure returns an error with a text for the model, the message of a payload:
//
//	{"isError":true,"toolName":"edit","errorType":"handler_error","message":"there is no note 7"}
//
// For other errors the model reads only the text.
func Failure(tool, text string) *Error { return &Error{Kind: Handler, Tool: tool, Text: text} }

// value returns the Error, the zero one for nil.
func (e *Error) value() Error {
	if e == nil {
		return Error{}
	}
	return *e
}

// Is reports whether target is the kind of e.
func (e *Error) Is(target error) bool {
	k, ok := target.(Kind)
	return ok && e.value().Kind.known() == k
}

// Unwrap returns the faults of the arguments and the Cause.
func (e *Error) Unwrap() []error {
	v := e.value()
	var list []error
	if len(v.Parameters) > 0 {
		list = append(list, v.Parameters)
	}
	if v.Cause != nil {
		list = append(list, v.Cause)
	}
	return list
}

// Error returns one sentence for the program and its log: that of the payload, with the text of a
// peer, quoted and cut to 200 bytes. Models and peers read the payload.
func (e *Error) Error() string {
	if e == nil {
		return "<nil>" // the Err of a success, in a log
	}
	v := e.value()
	text := v.message(Options{})
	if v.Remote && v.Text != "" {
		text += ": " + strconv.Quote(clip(v.Text, maxSaid))
	}
	return text
}

// own reports whether what e has beside its kind and tool may be written.
func (e Error) own(o Options) bool { return o.Text || !e.Remote }

// text returns the text that is written.
func (e Error) text(o Options) string {
	if o.Text || e.Kind.known() == Handler && !e.Remote {
		return clip(e.Text, maxText)
	}
	return ""
}

// message returns the sentence for a model.
func (e Error) message(o Options) string {
	var b strings.Builder
	text, tool := e.text(o), "tool"
	if e.Tool != "" {
		tool += " " + strconv.Quote(clip(e.Tool, maxName))
	}
	kind := e.Kind.known()
	if kind == Handler && text != "" {
		return text
	}
	before, after, _ := strings.Cut(sentences[kind], "%")
	b.WriteString(before + tool + after)
	switch ms := millis(e.After); {
	case ms > 0 && e.Kind == Timeout:
		b.WriteString(" after " + (time.Duration(ms) * time.Millisecond).String())
	case ms > 0:
		b.WriteString("; try again after " + (time.Duration(ms) * time.Millisecond).String())
	}
	switch {
	case e.MayHaveRun:
		b.WriteString("; an attempt before may have had effects")
	case e.Kind == Timeout && e.Attempts > 0:
		b.WriteString("; it may have had effects")
	}
	if list := e.parameters(o); len(list) > 0 {
		b.WriteString(": " + list.Error())
	}
	if list := e.names(o); len(list) > 0 {
		for i, name := range list {
			list[i] = strconv.Quote(name)
		}
		b.WriteString("; available: " + strings.Join(list, ", "))
	}
	if text != "" {
		b.WriteString(": " + text)
	}
	return b.String()
}

// parameters returns the faults that are written, cut to what a message may have.
func (e Error) parameters(o Options) schema.ArgumentErrors {
	if !e.own(o) || e.Kind != InvalidArguments && e.Kind != NullArguments {
		return nil
	}
	var list schema.ArgumentErrors
	for _, p := range e.Parameters {
		if p == nil || p.Kind.Code() == "" {
			continue
		}
		if e.Kind == NullArguments { // what is wrong is known; what has to be there is said
			if names := hints(p.Names); len(names) > 0 {
				list = schema.ArgumentErrors{{Kind: schema.ArgumentNull, Want: "an object", Names: names}}
			}
			break
		}
		if len(list) == maxFault {
			break
		}
		list = append(list, &schema.ArgumentError{
			Path: clip(p.Path, maxPath), Kind: p.Kind, Want: phrase(clip(p.Want, maxPath)), Got: clip(p.Got, maxName), Names: hints(p.Names),
		})
	}
	return list
}

// names returns the names that are written.
func (e Error) names(o Options) []string {
	if !e.own(o) || e.Kind != UnknownTool {
		return nil
	}
	return hints(e.Names)
}

func hints(names []string) []string {
	list := make([]string, 0, min(len(names), maxList))
	for _, name := range names {
		list = append(list, strings.ToValidUTF8(name, "\ufffd"))
	}
	return schema.Hints(list)
}

// clip returns the first bytes of a text as UTF-8, a copy if it is cut.
func clip(s string, most int) string {
	if len(s) > most {
		s = rawjson.Clip(s, most-len("…"))
	}
	return strings.ToValidUTF8(s, "?")
}

// millis returns whole milliseconds, none below zero.
func millis(d time.Duration) int64 { return max(0, int64(d/time.Millisecond)) }

// clone returns e with copies of what a peer's message holds.
func (e *Error) clone() *Error {
	e.Tool, e.Text, e.Data = strings.Clone(e.Tool), strings.Clone(e.Text), protocol.Raw(strings.Clone(string(e.Data)))
	e.Names, e.Exception = slices.Clone(e.Names), strings.Clone(e.Exception)
	return e
}
