package transcript

import (
	"fmt"
	"strings"

	"github.com/sansmcp/mcp/conformance/transcript/fixture"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// describe writes the effects of a step that led from one phase to another, line by line.
func describe(out lifecycle.Output, failure error, from, to lifecycle.Phase) (lines []string) {
	add := func(kind, text string) {
		if strings.ContainsFunc(text, odd) {
			text = quoted + quote(text)
		}
		lines = append(lines, kind+text)
	}
	for _, o := range out.Send {
		add("< ", string(jsonrpc.Append(nil, o.Message)))
	}
	for _, ev := range out.Events {
		if ev.Kind != lifecycle.PhaseChanged {
			add("! ", event(ev))
		}
	}
	if failure != nil {
		add("= ", fixture.ErrorName(failure))
	}
	if out.Close != nil {
		add("close ", out.Close.Kind.String())
	}
	if to != from {
		add("phase ", to.String())
	}
	return lines
}

// general writes ${revision} for the revision in the effects of a step, if the script names
// the revision in which it runs.
func (f *File) general(lines []string, revision string) []string {
	if !f.speaks() {
		return lines
	}
	for i, line := range lines {
		lines[i] = strings.ReplaceAll(line, revision, "${revision}")
	}
	return lines
}

// speaks reports whether the script names the revision in which it runs.
func (f *File) speaks() bool {
	for _, s := range f.Steps {
		if s.Input == "app initialize" || strings.Contains(s.Input, "${revision}") {
			return true
		}
	}
	return f.Ready
}

func event(ev lifecycle.Event) string {
	parts := []string{ev.Kind.String()}
	add := func(name, val string) {
		if val != "" {
			parts = append(parts, name+val)
		}
	}
	add("", ev.Rule)
	add("", ev.Method)
	if !ev.ID.IsZero() {
		add("id=", ev.ID.String())
	}
	if ev.Cause != nil && ev.Cause.Kind != lifecycle.CauseNone {
		add("cause=", strings.ReplaceAll(ev.Cause.Kind.String(), " ", "-"))
		if ev.Cause.Reason != "" && len(ev.Cause.Reason) < 100 {
			add("reason=", fmt.Sprintf("%q", ev.Cause.Reason))
		}
	}
	if ev.Err != nil {
		add("error=", fmt.Sprint(ev.Err.Code))
	}
	switch ev.Kind {
	case lifecycle.RequestReceived, lifecycle.ResponseReceived, lifecycle.ProgressReceived, lifecycle.NotificationReceived:
		if len(ev.Body) < 1000 {
			add("", string(ev.Body))
		}
	}
	return strings.Join(parts, " ")
}
