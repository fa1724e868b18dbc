//go:build unix

package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/sansmcp/mcp/docs/examples/gateway/config"
)

// askTerminal asks the user who started the program, if standard input is a terminal. A secret is
// not shown. Only typed text is an answer: an empty line is the default that was shown, or no
// answer if there is none.
func askTerminal(ctx context.Context, in config.Input) (string, bool) {
	state, err := stty("-g")
	if err != nil {
		return "", false
	}
	fmt.Fprintf(os.Stderr, "%s (%s)", visible(in.ID), visible(in.Description))
	if in.Choices != nil {
		fmt.Fprintf(os.Stderr, ", one of %s", visible(strings.Join(in.Choices, ", ")))
	}
	if in.Default != "" && !in.Secret {
		fmt.Fprintf(os.Stderr, " [%s]", visible(in.Default))
	}
	fmt.Fprint(os.Stderr, ": ")
	if in.Secret {
		if _, err := stty("-echo"); err != nil { // it would be shown
			fmt.Fprintln(os.Stderr)
			return "", false
		}
		defer func() {
			_, _ = stty(state)
			fmt.Fprintln(os.Stderr)
		}()
	}
	answer := make(chan string, 1)
	go func() {
		defer close(answer)
		if line, err := terminal.ReadString('\n'); err == nil {
			answer <- strings.TrimRight(line, "\r\n")
		}
	}()
	select {
	case line, ok := <-answer:
		if line == "" {
			line = in.Default
		}
		return line, ok && line != ""
	case <-ctx.Done():
		return "", false
	}
}

// terminal is standard input, for several questions.
var terminal = bufio.NewReader(os.Stdin)

// stty runs stty on standard input: it fails if that is not a terminal.
func stty(arg string) (string, error) {
	cmd := exec.Command("stty", arg)
	cmd.Stdin = os.Stdin
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}
