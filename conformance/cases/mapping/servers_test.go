package mapping_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// rowsOfServers returns the rows of the page about many servers, in order:
// all of their lists except those on the page about tools.
func rowsOfServers() (rows []string) {
	for _, list := range []struct {
		letter string
		last   int
	}{{"A", 25}, {"B", 29}, {"D", 13}, {"E", 34}, {"F", 10}} {
		for n := 1; n <= list.last; n++ {
			rows = append(rows, fmt.Sprintf("%s%d", list.letter, n))
		}
	}
	rows = slices.DeleteFunc(rows, func(row string) bool { return slices.Contains(wantedOfTools, row) })
	return append(rows, "G")
}

// Everything that the page about many servers names exists, and each row has a test that names it.
func TestPageOfServers(t *testing.T) {
	rowsPage{
		file: "docs/many-servers.md", rows: rowsOfServers(), row: regexp.MustCompile(`^([ABDEF][0-9]+|G)$`),
		known: []string{"client", "client/attempt", "client/manager", "client/naming", "client/catalog", "client/calls", "client/relay", "client/gateway", "client/dial", "client/links", "client/session", "client/fleet",
			"lifecycle", "lifecycle/backoff", "protocol", "protocol/schema/provider", "protocol/toolerror", "server", "server/registry"},
	}.hold(t,
		strings.NewReplacer("| B17 |", "| B71 |", "`manager.Manager.Request` with `protocol.PingParams`", "`manager.Manager.Poke`", "manager TestPing`", "manager TestPoke`",
			"b, err := d.c.Tools().Lookup(", "b, err := d.c.Tools().Solve(", "`links.Links`", "`links.Chains`", "(../client/relay)", "(../client/relays)", "(../conformance/many)", "(../conformance/few)"),
		"the rows are", "B15: there is no manager.Manager.Poke", "no case client/manager TestPoke", "does not have", "there is no links.Chains", "conformance/few")
}
