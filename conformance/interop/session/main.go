// The session command runs a client that reads commands from its standard input, and
// checks what it prints.
//
//	session FILE CLIENT ARGS...
//
// FILE has the checks, each with a name:
//
//	== NAME
//	> COMMAND for the client
//	+ TEXT that has to be printed between this command and the next
//	- TEXT that must not
//	~ TEXT that has to be printed between this command and the next check: what comes on a
//	  stream of its own may come later than what it is about
//
// The client prints each command before it does it, and a line that begins with error: if
// it fails; that fails the check, unless a + asks for it.
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

type command struct {
	text              string
	want, shun, later []string
}

type check struct {
	name     string
	commands []command
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: session FILE CLIENT ARGS...")
		os.Exit(2)
	}
	checks, err := read(os.Args[1])
	if err != nil {
		fmt.Println("FAIL", err)
		os.Exit(1)
	}
	var input strings.Builder
	for _, c := range checks {
		for _, cmd := range c.commands {
			fmt.Fprintln(&input, cmd.text)
		}
	}
	client := exec.Command(os.Args[2], os.Args[3:]...)
	client.Stdin, client.Stderr = strings.NewReader(input.String()), os.Stderr
	out, err := client.Output()
	for line := range bytes.Lines(out) {
		fmt.Print("| ", strings.TrimSuffix(string(line), "\n"), "\n")
	}
	if err == nil {
		fmt.Println("ok   exit 0")
	} else {
		fmt.Println("FAIL the client:", err)
	}
	if !judge(checks, string(out)) || err != nil {
		os.Exit(1)
	}
}

func read(file string) (checks []check, err error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for i, line := range strings.Split(string(b), "\n") {
		sign, text, _ := strings.Cut(line, " ")
		if sign == "==" {
			checks = append(checks, check{name: text})
			continue
		}
		if line == "" || sign == "#" {
			continue
		}
		if len(checks) == 0 {
			return nil, fmt.Errorf("%s:%d: no check", file, i+1)
		}
		c := &checks[len(checks)-1]
		if sign == ">" {
			c.commands = append(c.commands, command{text: text})
			continue
		}
		if len(c.commands) == 0 || text == "" || len(sign) != 1 || !strings.Contains("+-~", sign) {
			return nil, fmt.Errorf("%s:%d: %q does not belong here", file, i+1, line)
		}
		cmd := &c.commands[len(c.commands)-1]
		switch sign {
		case "+":
			cmd.want = append(cmd.want, text)
		case "-":
			cmd.shun = append(cmd.shun, text)
		default:
			cmd.later = append(cmd.later, text)
		}
	}
	return checks, nil
}

// judge compares what was printed with the checks, one after the other.
func judge(checks []check, out string) bool {
	_, rest, _ := strings.Cut("\n"+out, "\n> ")
	good := true
	for _, c := range checks {
		var faults []string
		printed := make([]string, len(c.commands)) // what each printed
		for i, cmd := range c.commands {
			printed[i], rest, _ = strings.Cut(rest, "\n> ")
			faults = append(faults, cmd.faults(printed[i])...)
		}
		for i, cmd := range c.commands {
			for _, text := range cmd.later {
				if !strings.Contains(strings.Join(printed[i:], "\n"), text) {
					faults = append(faults, fmt.Sprintf("after %q nothing printed %q", cmd.text, text))
				}
			}
		}
		if len(faults) == 0 {
			fmt.Println("ok  ", c.name)
			continue
		}
		good = false
		fmt.Printf("FAIL %s: %s\n", c.name, strings.Join(faults, "; "))
	}
	return good
}

func (c command) faults(printed string) (faults []string) {
	first, printed, _ := strings.Cut(printed, "\n")
	if first != c.text {
		return []string{fmt.Sprintf("%q was not reached", c.text)}
	}
	failure := strings.HasPrefix(printed, "error:") || strings.Contains(printed, "\nerror:")
	for _, text := range c.want {
		if !strings.Contains(printed, text) {
			faults = append(faults, fmt.Sprintf("%q printed no %q", c.text, text))
		}
		failure = failure && !strings.HasPrefix(text, "error:")
	}
	for _, text := range c.shun {
		if strings.Contains(printed, text) {
			faults = append(faults, fmt.Sprintf("%q printed %q", c.text, text))
		}
	}
	if failure {
		faults = append(faults, fmt.Sprintf("%q failed: %s", c.text, printed))
	}
	return faults
}
