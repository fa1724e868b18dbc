//go:build !unix

package child

import (
	"os"
	"os/exec"
	"syscall"
)

// On systems without process groups only the server itself is ended.

func ownGroup(*exec.Cmd) {}

func signalGroup(p *os.Process, sig os.Signal) {
	if sig == syscall.SIGKILL || p.Signal(sig) != nil {
		_ = p.Kill()
	}
}

func left(*os.Process) bool { return false }
