//go:build !linux

package child

import "os/exec"

// On these systems a process cannot be tied to another: if the program is killed, a server that
// ignores the end of its input lives on.

func start(cmd *exec.Cmd) error { return cmd.Start() }

func ended() {}
