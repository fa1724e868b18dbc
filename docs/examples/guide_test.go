//go:build unix

package examples_test

import (
	"fmt"
	"strings"
	"testing"
)

// A call by hand: of a tool that answers, of one that fails, and of one that there is not.
func TestCall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tool, arguments string
		want            string
		code            int
	}{
		{"greet", `{"name":"Ada"}`, "Hello, Ada!", 0},
		{"greet", `{"name":""}`, "failed: true", 0},
		{"nobody", `{}`, "", 1},
	} {
		p := start(t, program("call"), c.tool, c.arguments, program("tool"))
		if c.want != "" {
			p.next(c.want)
		}
		<-p.gone
		if code := p.cmd.ProcessState.ExitCode(); code != c.code {
			t.Errorf("%s %s: exit code %d", c.tool, c.arguments, code)
		}
	}
}

// A tool that asks its user does nothing until the answer is there, and then says how far it is.
func TestBooking(t *testing.T) {
	t.Parallel()
	p := start(t, program("client"), "-i", "--", program("booking"))
	for _, line := range []string{
		`call book {"dish":"Soup"}`, `answer accept {"name":"Ada","seats":3}`, `call book {"dish":"Soup"}`, `answer accept {"name":""}`, `call book {"dish":"Soup"}`,
	} {
		fmt.Fprintln(p.in, line)
	}
	_ = p.in.Close()
	p.next("No table is booked.")
	for step := 1; step <= 3; step++ {
		if line := p.next("progress received"); !strings.Contains(line, fmt.Sprintf(`"progress":%d,"total":3`, step)) {
			t.Error(line)
		}
	}
	p.next("Soup for 3, in the name of Ada.")
	p.next("the form does not take that")
	p.next("No table is booked.")
	<-p.gone
}

// The other tool asks the user, the model and for the roots at once, and the client tells what it knows.
func TestSuggest(t *testing.T) {
	t.Parallel()
	p := start(t, program("client"), "-i", "--", program("booking"))
	for _, line := range []string{`answer accept {}`, `call suggest {}`, `status`, `notify notifications/roots/list_changed`} {
		fmt.Fprintln(p.in, line)
	}
	_ = p.in.Close()
	p.next("soup, in spring; the user says accept; 1 folders are open.")
	p.next("prompts/list may be out of date")
	p.next("0 events were left out; the session before was subscribed to []")
	<-p.gone
}
