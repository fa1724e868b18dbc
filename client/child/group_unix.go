//go:build unix

package child

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup makes the process the leader of a group, whatever SysProcAttr says.
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	// The leader of a session leads its group too, and cannot be moved.
	if !cmd.SysProcAttr.Setsid {
		cmd.SysProcAttr.Setpgid, cmd.SysProcAttr.Pgid = true, 0
	}
}

// signalGroup sends a signal to the process and its group.
func signalGroup(p *os.Process, sig os.Signal) { _ = syscall.Kill(-p.Pid, sig.(syscall.Signal)) }

// left reports whether the group has any process. It is called right after the leader has been
// waited for: while the group exists, its number cannot be reused.
func left(p *os.Process) bool { return syscall.Kill(-p.Pid, 0) == nil }
