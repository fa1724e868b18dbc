package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server/registry"
)

// maxOutput is how many bytes of a command's output are returned.
const maxOutput = 64 << 10

// shell runs the commands of a list: only a text that equals one of them is run. No shell reads
// them, so that ";", "$(…)" and "*" are ordinary characters; words are split at spaces.
type shell struct {
	allowed []string
	dir     string
}

func (s shell) tool() registry.Tool {
	allowed, err := json.Marshal(append([]string{}, s.allowed...))
	if err != nil { // which texts do not make it
		panic(err)
	}
	t := one("run_command", "Runs one of the commands that are allowed and returns what it writes.",
		protocol.Raw(`{"type":"object","properties":{"command":{"enum":`+string(allowed)+`}},"required":["command"],"additionalProperties":false}`), "command", s.run)
	t.Timeout = time.Minute
	return t
}

func (s shell) run(ctx context.Context, command string) (string, error) {
	words := strings.Fields(command)
	if !slices.Contains(s.allowed, command) || len(words) == 0 {
		return "", errors.New("this command is not on the list")
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	out := &bounded{left: maxOutput}
	c.Dir, c.Stdout, c.Stderr = s.dir, out, out
	// The environment has nothing secret, and the input is empty.
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "LANG=C.UTF-8"}
	c.WaitDelay = 2 * time.Second
	err := c.Run()
	text := out.text.String()
	if out.more {
		text += "\n… and more"
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", errors.New("the command has not ended in time")
	case errors.As(err, &exit):
		return "", errors.New("the command failed, " + exit.Error() + ": " + text)
	case err != nil:
		return "", errors.New("the command cannot be run")
	}
	return text, nil
}

// bounded keeps the beginning of what is written to it.
type bounded struct {
	text bytes.Buffer
	left int
	more bool
}

func (b *bounded) Write(p []byte) (int, error) {
	n := min(len(p), b.left)
	b.text.Write(p[:n])
	b.left -= n
	b.more = b.more || n < len(p)
	return len(p), nil
}
