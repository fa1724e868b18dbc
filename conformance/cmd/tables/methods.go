package main

import (
	"strings"

	"github.com/sansmcp/mcp/protocol"
)

// vocabulary is the data of methods.md.
type vocabulary struct {
	Newest        protocol.Revision
	Requests      []methodRow
	Notifications []methodRow
	Stateless     []stateless
	Older         []change
	Additions     []protocol.Addition
	Capabilities  []capabilityRow
	Free          string // the methods that need no capability
	Types         []typeRow
	Codes         codes
	Inputs        []inputRow
}

// methodRow is a row of the method table as text.
type methodRow struct {
	Name, From, Capability, Send, Serve, Cancellable, Paginated, Params, Result string
}

// stateless is a revision without a handshake.
type stateless struct {
	Revision protocol.Revision
	Methods  []statelessRow
	Asked    string // the methods of questions in a result
	Gone     string // the methods of the newest revision with a handshake that it lacks
}

// statelessRow is a row of the method table of such a revision as text.
type statelessRow struct {
	methodRow
	Asks, Cached string
}

// change is a row in which an older revision differs from the newest.
type change struct{ Revision, Method, What string }

// capabilityRow says what a capability allows.
type capabilityRow struct{ Name, By, Opens, Sends string }

func newVocabulary() vocabulary {
	v := vocabulary{Newest: protocol.Revisions()[0], Additions: protocol.Additions(), Codes: newCodes(), Inputs: newInputs()}
	var free []string
	for _, row := range v.Newest.Rows() {
		m := describe(row)
		if row.Notification {
			v.Notifications = append(v.Notifications, m)
		} else {
			v.Requests = append(v.Requests, m)
		}
		if row.Gate|row.Requires == 0 {
			free = append(free, code(m.Name))
		}
	}
	v.Free = strings.Join(free, ", ")
	for _, r := range protocol.StatelessRevisions() {
		v.Stateless = append(v.Stateless, newStateless(r, v.Newest))
	}
	for _, r := range protocol.Revisions()[1:] {
		v.Older = append(v.Older, changes(r, v.Newest)...)
	}
	for c := protocol.Capability(1); c.String() != ""; c <<= 1 {
		v.Capabilities = append(v.Capabilities, newCapability(c, v.Newest))
	}
	v.Types = newTypes()
	return v
}

func newStateless(r, newest protocol.Revision) stateless {
	v := stateless{Revision: r}
	var asked, gone []string
	for _, row := range r.Rows() {
		if !row.Notification && row.Sender() == protocol.Server {
			asked = append(asked, code(row.Method))
		} else {
			v.Methods = append(v.Methods, statelessRow{describe(row), yes(row.Asks), yes(row.Cached)})
		}
	}
	for _, row := range newest.Rows() {
		if r.Row(row.Method) == nil {
			gone = append(gone, code(row.Method))
		}
	}
	v.Asked, v.Gone = strings.Join(asked, ", "), strings.Join(gone, ", ")
	return v
}

func describe(row *protocol.Row) methodRow {
	params, result := row.Types()
	m := methodRow{
		Name: row.Method, From: row.Sender().String(), Capability: needed(row), Send: phases(row.Send), Serve: phases(row.Serve),
		Cancellable: yes(row.Cancellable), Paginated: yes(row.Paginated()), Params: members(params),
	}
	if !row.Notification {
		m.Result = members(result)
	}
	return m
}

// needed names the capability that a message needs, and its side, unless that side answers the
// request or sends the notification.
func needed(row *protocol.Row) string {
	if row.Requires != 0 {
		return gate(row.Requires) + " of the " + row.Receiver.String()
	}
	return gate(row.Gate)
}

// gate names the last capability of a gate: a flag needs its capability too.
func gate(c protocol.Capability) string {
	if c == 0 {
		return ""
	}
	names := strings.Split(c.String(), ",")
	return code(names[len(names)-1])
}

func phases(set protocol.Phases) string {
	var names []string
	for p := range protocol.PhaseCount {
		if set.Has(protocol.Phase(p)) {
			names = append(names, protocol.Phase(p).String())
		}
	}
	return strings.Join(names, ", ")
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

func code(s string) string { return "`" + s + "`" }

// changes says in which rows r differs from the newest revision.
func changes(r, newest protocol.Revision) (list []change) {
	add := func(method, what string) { list = append(list, change{r.String(), method, what}) }
	for _, want := range newest.Rows() {
		row := r.Row(want.Method)
		if row == nil {
			add(code(want.Method), "not defined")
			continue
		}
		had, has := describe(want), describe(row)
		for _, cell := range []struct{ name, was, is string }{
			{"capability", had.Capability, has.Capability}, {"sent by", had.From, has.From}, {"sent in", had.Send, has.Send},
			{"served in", had.Serve, has.Serve}, {"cancellable", had.Cancellable, has.Cancellable}, {"paginated", had.Paginated, has.Paginated},
		} {
			if cell.was != cell.is {
				if cell.is == "" {
					cell.is = "none"
				}
				add(code(want.Method), cell.name+": "+cell.is)
			}
		}
	}
	for _, row := range r.Rows() {
		if newest.Row(row.Method) == nil {
			add(code(row.Method), "defined")
		}
	}
	if r.Batches() != newest.Batches() {
		add("", "after the handshake, an array of messages is a batch")
	}
	if r.NullErrorID() != newest.NullErrorID() {
		add("", "an error for unreadable text has the id null")
	}
	return list
}

func newCapability(c protocol.Capability, r protocol.Revision) capabilityRow {
	d := capabilityRow{Name: code(c.String()), By: "client"}
	if all := ^protocol.Capability(0); protocol.DeclareServer(all).Set()&c != 0 {
		d.By = "server"
	}
	for _, row := range r.Rows() {
		if gate(row.Gate|row.Requires) != d.Name {
			continue
		}
		p := &d.Opens
		if row.Notification && row.Requires == 0 {
			p = &d.Sends
		}
		if *p != "" {
			*p += ", "
		}
		*p += code(row.Method)
	}
	return d
}
