//go:build unix

package child

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup makes the process the leader of a group, whatever SysProcAttr asks for.
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	// The leader of a session is that of its group, and may not be moved.
	if !cmd.SysProcAttr.Setsid {
		cmd.SysProcAttr.Setpgid, cmd.SysProcAttr.Pgid = true, 0
	}
}

// signalGroup sends a signal to the process and whatever it started in its group.
func signalGroup(p *os.Process, sig os.Signal) { _ = syscall.Kill(-p.Pid, sig.(syscall.Signal)) }

// left reports whether there is anybody in the group. It is asked right after the leader
// was waited for: while there is, nobody else can have its number.
func left(p *os.Process) bool { return syscall.Kill(-p.Pid, 0) == nil }
