package builtin

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/registry"
)

// Options are the sources of the group. A tool without a source is omitted.
type Options struct {
	// Name is the name of the group; "" means "builtin".
	Name string
	// Now returns the current time for tools. It is called by the goroutines of the calls.
	Now func() time.Time
	// Entropy fills p with random bytes, or fails. It is called by the goroutines of the calls. An
	// error becomes a failed result of the tool uuid, without the text.
	Entropy func(p []byte) error
}

// maxUUIDs is how many UUIDs a call may ask for.
const maxUUIDs = 10

// New returns the group: calculate, json_query, with Now also date_time, with Entropy also uuid.
// Errors: those of registry.NewGroup for the name.
func New(opt Options) (*registry.Group, error) {
	closed := true
	d := registry.Definition{
		Name: cmp.Or(opt.Name, "builtin"), Title: "Built-in tools",
		Instructions: "Exact arithmetic, queries of JSON, dates and UUIDs.",
	}
	add := func(name, title, description string, input, output protocol.Raw, f func(*schema.Arguments) (string, protocol.Raw, error)) {
		open := false
		d.Tools = append(d.Tools, registry.Tool{
			Tool: protocol.Tool{
				Name: name, Title: title, Description: description, InputSchema: input, OutputSchema: output,
				Annotations: &protocol.ToolAnnotations{ReadOnlyHint: &closed, OpenWorldHint: &open},
			},
			Func: answer(f),
		})
	}
	add("calculate", "Calculator", "Evaluates an expression of decimals, exactly up to 1000 digits: + - * / % ^, parentheses, abs, ceil, floor, max, min, round(x, places).",
		`{"type":"object","properties":{"expression":{"type":"string","maxLength":4096,"description":"as (0.1+0.2)*3^2"}},"required":["expression"],"additionalProperties":false}`,
		`{"type":"object","properties":{"value":{"type":"string"},"exact":{"type":"boolean"}},"required":["value","exact"]}`, calculate)
	add("json_query", "JSON query", "Returns the value that a JSON Pointer (RFC 6901) names in a JSON document.",
		`{"type":"object","properties":{"document":{"description":"any JSON value"},"pointer":{"type":"string","description":"such as /items/0/name; empty for the whole document"}},"required":["document","pointer"],"additionalProperties":false}`,
		`{"type":"object","properties":{"value":{}},"required":["value"]}`, query)
	if opt.Now != nil {
		add("date_time", "Date and time", "Returns the current time, or a given one, optionally moved by a duration.",
			`{"type":"object","properties":{"instant":{"type":"string","description":"such as 2026-02-03T04:05:06Z or 2026-02-03; now if absent"},"add":{"type":"string","description":"such as -36h or 1h30m"},"offset":{"type":"string","description":"from UTC, such as +02:00"}},"additionalProperties":false}`,
			`{"type":"object","properties":{"instant":{"type":"string"},"unix":{"type":"integer"},"weekday":{"type":"string"},"yearDay":{"type":"integer"},"week":{"type":"integer"},"weekYear":{"type":"integer"}},"required":["instant","unix","weekday","yearDay","week","weekYear"]}`,
			func(a *schema.Arguments) (string, protocol.Raw, error) { return dateTime(opt.Now, a) })
	}
	if opt.Entropy != nil {
		add("uuid", "UUID", "Makes UUIDs of version 4, or of version 7 if the time is known.",
			`{"type":"object","properties":{"version":{"enum":[4,7]},"count":{"type":"integer","minimum":1,"maximum":10}},"additionalProperties":false}`,
			`{"type":"object","properties":{"uuids":{"type":"array","items":{"type":"string"}}},"required":["uuids"]}`,
			func(a *schema.Arguments) (string, protocol.Raw, error) { return uuids(opt, a) })
	}
	return registry.NewGroup(d)
}

// answer makes a tool from a function that returns a text for the model and the same as an object.
func answer(f func(*schema.Arguments) (string, protocol.Raw, error)) server.ToolFunc {
	return func(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		text, structured, err := f(schema.ReadArguments(p.Arguments))
		if err != nil {
			return nil, err
		}
		r := protocol.TextResult(text)
		r.StructuredContent = structured
		return r, nil
	}
}

func calculate(a *schema.Arguments) (string, protocol.Raw, error) {
	expression := a.String("expression")
	if err := a.Err(); err != nil {
		return "", "", err
	}
	v, err := evaluate(expression)
	if err != nil {
		return "", "", err
	}
	return v.Text, protocol.Raw(`{"value":"` + v.Text + `","exact":` + strconv.FormatBool(v.Exact) + `}`), nil
}

func query(a *schema.Arguments) (string, protocol.Raw, error) {
	document, pointer := a.Raw("document"), a.String("pointer")
	if err := a.Err(); err != nil {
		return "", "", err
	}
	v, err := valueAt(document, pointer)
	if err != nil {
		return "", "", err
	}
	return string(v), `{"value":` + v + `}`, nil
}

func dateTime(now func() time.Time, a *schema.Arguments) (string, protocol.Raw, error) {
	instant, offset := a.StringOr("instant", ""), a.StringOr("offset", "")
	moved, err := movedBy(a.StringOr("add", ""))
	if faults := a.Err(); faults != nil {
		return "", "", faults
	}
	if err != nil {
		return "", "", err
	}
	var t time.Time
	if instant == "" {
		t = now()
	} else if t, err = instantOf(instant); err != nil {
		return "", "", err
	}
	d, err := dateAt(t, moved, offset)
	if err != nil {
		return "", "", err
	}
	dst := rawjson.AppendQuote([]byte(`{"instant":`), d.RFC3339)
	dst = strconv.AppendInt(append(dst, `,"unix":`...), d.Unix, 10)
	dst = rawjson.AppendQuote(append(dst, `,"weekday":`...), d.Weekday)
	dst = strconv.AppendInt(append(dst, `,"yearDay":`...), int64(d.YearDay), 10)
	dst = strconv.AppendInt(append(dst, `,"week":`...), int64(d.Week), 10)
	dst = strconv.AppendInt(append(dst, `,"weekYear":`...), int64(d.Year), 10)
	return d.Weekday + " " + d.RFC3339, protocol.Raw(append(dst, '}')), nil
}

var errEntropy = errors.New("no randomness available; try again later")

func uuids(opt Options, a *schema.Arguments) (string, protocol.Raw, error) {
	version, count := a.IntOr("version", 4), a.IntOr("count", 1)
	switch err := a.Err(); {
	case err != nil:
		return "", "", err
	case count < 1 || count > maxUUIDs || version != 4 && version != 7:
		return "", "", errors.New("version is 4 or 7, and count is from 1 to 10")
	case version == 7 && opt.Now == nil:
		return "", "", errors.New("the time is unknown here; use version 4")
	}
	var list []string
	for range count {
		var b [16]byte
		if opt.Entropy(b[:]) != nil { // its text is for the host
			return "", "", errEntropy
		}
		if version == 7 {
			list = append(list, uuid7(opt.Now(), [10]byte(b[:10])))
		} else {
			list = append(list, uuid4(b))
		}
	}
	return strings.Join(list, "\n"), protocol.Raw(`{"uuids":["` + strings.Join(list, `","`) + `"]}`), nil
}
