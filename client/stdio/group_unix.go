//go:build unix

package stdio

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup makes the process the leader of a group.
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
}

// signalGroup sends a signal to the process and whatever it started in its group.
func signalGroup(p *os.Process, sig syscall.Signal) { _ = syscall.Kill(-p.Pid, sig) }

// left reports whether there is anybody in the group. It is asked right after the leader
// was waited for: while there is, nobody else can have its number.
func left(p *os.Process) bool { return syscall.Kill(-p.Pid, 0) == nil }
