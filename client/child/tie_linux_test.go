package child_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/child"
)

func init() {
	more["starter"] = func() { // starts a server that reads nothing, and waits to be killed
		c, err := child.Start(command("deaf"), child.Options{})
		if err != nil {
			panic(err)
		}
		fmt.Println(c.Pid())
		select {}
	}
}

// runs reports whether a process runs, and is not only left to be waited for.
func runs(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

// A server that reads nothing ends with the program that started it, if that is killed.
func TestEndsWithItsParent(t *testing.T) {
	parent := command("starter")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || !runs(pid) {
		t.Fatal(pid, err)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	for end := time.Now().Add(patience); runs(pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatal("it runs still")
		}
	}
}

// A server does not end with the thread that asked for it, which the Go runtime ends when a goroutine
// that has locked it does; nor with a thread of one that was started before and has ended.
func TestOutlivesItsThread(t *testing.T) {
	var children []*child.Child
	for range 3 {
		started := make(chan *child.Child)
		go func() {
			runtime.LockOSThread() // and never unlocks it: the thread ends
			c, err := child.Start(command("patient"), short)
			if err != nil {
				t.Error(err)
			}
			started <- c
		}()
		if c := <-started; c != nil {
			children = append(children, c)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
	_ = children[0].Close(context.Background())
	time.Sleep(100 * time.Millisecond)
	for _, c := range children[1:] {
		open(t, c, newest)
		if !runs(c.Pid()) {
			t.Error("it has ended")
		}
		_ = c.Close(context.Background())
	}
}

// Who sets a signal of its own keeps it, and what cannot be started holds no thread.
func TestTies(t *testing.T) {
	cmd := command("good")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	c := start(t, cmd, short)
	if cmd.SysProcAttr.Pdeathsig != syscall.SIGKILL {
		t.Error(cmd.SysProcAttr.Pdeathsig)
	}
	if !threadHeld() {
		t.Error("no thread is held while a server runs")
	}
	_ = c.Close(context.Background())
	for range 3 {
		if _, err := child.Start(exec.Command("/there/is/no/such/server"), child.Options{}); err == nil {
			t.Error("it started")
		}
	}
	for end := time.Now().Add(patience); threadHeld(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a thread is held still")
		}
	}
}

// threadHeld reports whether the goroutine runs that starts processes.
func threadHeld() bool {
	buf := make([]byte, 1<<20)
	return strings.Contains(string(buf[:runtime.Stack(buf, true)]), "child.startAll")
}
