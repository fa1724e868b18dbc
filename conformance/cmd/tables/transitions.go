package main

import (
	"slices"
	"strings"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// lifecycleData is the data of transitions.md.
type lifecycleData struct {
	Rows  []lifecycle.Transition
	Heads []string   // the phases
	Cells [][]string // a line for each trigger: its name, then the next phase from each phase
	Edges []edge
}

// edge is an arrow of the diagram.
type edge struct{ From, To, Label string }

func newLifecycle() lifecycleData {
	d := lifecycleData{Rows: lifecycle.Transitions()}
	for p := range protocol.PhaseCount {
		d.Heads = append(d.Heads, lifecycle.Phase(p).String())
	}
	for i := range lifecycle.TriggerCount {
		t := lifecycle.Trigger(i)
		line := []string{t.String()}
		for p := range protocol.PhaseCount {
			line = append(line, leads(lifecycle.Phase(p), t))
		}
		d.Cells = append(d.Cells, line)
	}
	for _, row := range d.Rows {
		label := row.On.String()
		if row.Party != protocol.BothParties {
			label += " (" + row.Party.String() + ")"
		}
		same := func(e edge) bool { return e.From == row.From.String() && e.To == row.To.String() }
		if i := slices.IndexFunc(d.Edges, same); i >= 0 {
			d.Edges[i].Label += ", " + label
		} else {
			d.Edges = append(d.Edges, edge{row.From.String(), row.To.String(), label})
		}
	}
	return d
}

// leads returns the next phase of a trigger, or "".
func leads(from lifecycle.Phase, t lifecycle.Trigger) string {
	c, client := lifecycle.Next(lifecycle.Client, from, t)
	s, server := lifecycle.Next(lifecycle.Server, from, t)
	switch {
	case client && server && c == s:
		return c.String()
	case client && server:
		return c.String() + " (client), " + s.String() + " (server)"
	case client:
		return c.String() + " (client)"
	case server:
		return s.String() + " (server)"
	}
	return ""
}

// Head is the head of the table and its rule.
func (d lifecycleData) Head() string {
	return "| on | " + strings.Join(d.Heads, " | ") + " |\n|" + strings.Repeat(" --- |", len(d.Heads)+1)
}

// Lines are the lines of the table.
func (d lifecycleData) Lines() (list []string) {
	for _, c := range d.Cells {
		list = append(list, "| "+strings.Join(c, " | ")+" |")
	}
	return list
}
