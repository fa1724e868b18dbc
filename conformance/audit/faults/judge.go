package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/conformance/audit/rooms"
)

// Verdict is the result of a patch.
type Verdict struct {
	Caught []Failure // cases of the row
	Also   []Failure // cases of a row that the patch names as dependent
	Others []Failure // cases that should not have failed
	Idle   []string  // rows named by the patch without a failed case
}

// Judge sorts the failures under a patch.
func (p Patch) Judge(failures []Failure) Verdict {
	var v Verdict
	v.Idle = slices.Clone(p.Also)
	for _, f := range failures {
		v.Idle = slices.DeleteFunc(v.Idle, func(id string) bool { return slices.Contains(f.Rows, id) })
		switch {
		case slices.Contains(f.Rows, p.Row):
			v.Caught = append(v.Caught, f)
		case slices.ContainsFunc(p.Also, func(id string) bool { return slices.Contains(f.Rows, id) }):
			v.Also = append(v.Also, f)
		case f.Whole && !p.transport():
			// A fault below a transport breaks everything over it.
		default:
			v.Others = append(v.Others, f)
		}
	}
	return v
}

// transport reports whether the patch breaks the transport of messages.
func (p Patch) transport() bool { return slices.ContainsFunc(p.Files(), carries) }

// carries reports whether a file or a folder belongs to the transport of messages.
func carries(name string) bool {
	rooms := append(rooms.Drivers(), "jsonrpc/sse", "protocol/headers", "server/streams", "client/exchange", "conformance/cases/transports")
	return slices.ContainsFunc(rooms, func(dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") })
}

// Good reports whether exactly the right cases caught the patch.
func (v Verdict) Good() bool { return len(v.Caught) > 0 && len(v.Others) == 0 && len(v.Idle) == 0 }

// String describes the verdict in one or more lines.
func (v Verdict) String() string {
	var b strings.Builder
	if len(v.Caught) == 0 {
		b.WriteString("NOT CAUGHT")
	} else {
		b.WriteString("caught by " + names(v.Caught, false))
	}
	if len(v.Also) > 0 {
		b.WriteString("\n\tand, as the patch says, " + names(v.Also, true))
	}
	if len(v.Others) > 0 {
		b.WriteString("\n\tBUT ALSO " + names(v.Others, true))
	}
	if len(v.Idle) > 0 {
		b.WriteString("\n\tNOTHING FAILED of " + strings.Join(v.Idle, ", "))
	}
	return b.String()
}

func names(list []Failure, rows bool) string {
	var all []string
	for _, f := range list {
		if rows {
			all = append(all, fmt.Sprintf("%s (%s)", f.Case, strings.Join(f.Rows, " ")))
			continue
		}
		all = append(all, f.Case)
	}
	return strings.Join(all, ", ")
}
