package child

import (
	"context"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/sansmcp/mcp/client/links"
)

// urgent is Kill for those who cannot wait.
const urgent = 500 * time.Millisecond

// Child is a links.Transport to a server as a child process, in its own process group where supported, so that a
// server that was started by a shell, go run or npx is ended too. Receive ends soon after the process, even if
// another one holds its output.
type Child struct {
	*conn // if its writer fails, the server is stopped

	cmd    *exec.Cmd
	output *os.File
	log    *os.File // its standard error, nil if it is not read here
	said   lastLine
	stop   sync.Once
	fast   sync.Once
	hurry,
	exited, // the process is
	logRead, // its standard error is, to its end
	gone chan struct{} // and so is what it left behind
	err error // of Wait
}

var _ links.Transport = (*Child)(nil)

// Start starts a server. cmd has its command; standard input and output are set here. Errors:
// lifecycle.ErrConfig for opt, and those of cmd.Start.
func Start(cmd *exec.Cmd, opt Options) (*Child, error) {
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	out, theirs, err := os.Pipe() // not StdoutPipe: Wait would close it before it is read
	if err != nil {
		return nil, err
	}
	c := &Child{cmd: cmd, output: out, hurry: make(chan struct{}), exited: make(chan struct{}), gone: make(chan struct{}), logRead: make(chan struct{})}
	log, theirLog, err := c.said.hears(cmd)
	if err != nil {
		closeAll(out, theirs)
		return nil, err
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		closeAll(out, theirs, log, theirLog)
		return nil, err
	}
	cmd.Stdout, cmd.WaitDelay = theirs, opt.Linger
	ownGroup(cmd)
	err = start(cmd)
	closeAll(theirs, theirLog)
	if err != nil {
		closeAll(out, log)
		return nil, err
	}
	c.log = log
	c.conn = newConn(tail{c, out}, in, opt)
	c.exit = c.exitOf
	go c.hearLog()
	go c.waitFor()
	go func() {
		<-c.w.Done()
		_ = in.Close() // the end of its input
		c.stopSlowly()
	}()
	return c, nil
}

// stopSlowly ends the server: what is queued is written, then its input ends, then come the
// signals. It does not wait.
func (c *Child) stopSlowly() {
	c.stop.Do(func() {
		go func() { _ = c.w.Close(c.opt.Term) }()
		go c.signals()
	})
}

// StopNow ends the server quickly: SIGTERM at once and SIGKILL soon. It does not wait.
func (c *Child) StopNow() {
	c.fast.Do(func() { close(c.hurry) })
	c.stopSlowly()
}

// Gone is closed when the process has exited, and the rest of its group is killed.
func (c *Child) Gone() <-chan struct{} { return c.gone }

// Pid returns the id of the process, for logs. After Gone another process may have it.
func (c *Child) Pid() int { return c.cmd.Process.Pid }

// Exit returns how the process ended. Call it after Gone.
func (c *Child) Exit() error { return c.err }

func (c *Child) signals() {
	if c.stays(c.opt.Term, 0) {
		signalGroup(c.cmd.Process, syscall.SIGTERM) // STDIO-011
		if c.stays(c.opt.Kill, min(urgent, c.opt.Kill)) {
			signalGroup(c.cmd.Process, syscall.SIGKILL) // STDIO-012
		}
	}
}

// stays waits for the process to exit, for a time, or for another one from when there is a hurry. It reports whether the
// process is still there.
func (c *Child) stays(d, hurried time.Duration) bool {
	select {
	case <-c.exited:
		return false
	case <-time.After(d):
		return true
	case <-c.hurry:
	}
	select {
	case <-c.exited:
		return false
	case <-time.After(hurried):
		return true
	}
}

// waitFor waits for the process, and then for what it left behind.
func (c *Child) waitFor() {
	c.err = c.cmd.Wait()
	ended()
	close(c.exited)
	for _, f := range []*os.File{c.output, c.log} {
		_ = f.SetReadDeadline(time.Now().Add(c.opt.Linger)) // wakes a Read that waits
	}
	time.AfterFunc(10*c.opt.Linger, func() { closeAll(c.output, c.log) })
	c.stopSlowly()
	if left(c.cmd.Process) {
		time.Sleep(c.opt.Linger)
		signalGroup(c.cmd.Process, syscall.SIGKILL)
	}
	close(c.gone)
}

// hearLog reads standard error if Cmd.Stderr does not take it.
func (c *Child) hearLog() {
	defer close(c.logRead)
	if c.log != nil {
		_, _ = io.Copy(&c.said, tail{c, c.log})
	}
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close() // of nil it is an error
	}
}

// tail reads the output of a Child, or its standard error. Once the process has exited what is there is read,
// but no Read waits longer than Linger, and the output ends even
// if another process keeps writing.
type tail struct {
	c    *Child
	file *os.File
}

// Read implements io.Reader.
func (t tail) Read(b []byte) (int, error) {
	select {
	case <-t.c.exited:
		_ = t.file.SetReadDeadline(time.Now().Add(t.c.opt.Linger))
	default:
	}
	n, err := t.file.Read(b)
	if err != nil {
		_ = t.file.Close()
	}
	return n, err
}

// exitOf fills in how the process ended.
func (c *Child) exitOf(e *EndError) {
	timer := time.NewTimer(exitWait)
	defer timer.Stop()
	select { // its output ends a moment before it does
	case <-c.exited:
		e.Exited, e.Exit = true, c.err
		select {
		case <-c.logRead:
		case <-timer.C:
		}
	case <-timer.C:
	}
	e.Stderr = c.said.text()
}

// exitWait is how long the exit of a server is waited for after its output has ended.
const exitWait = 100 * time.Millisecond

// Close implements links.Transport: it writes queued messages, ends the input of the server, then sends the signals;
// all at once when ctx ends. It waits until the server has ended, and drops its messages. It returns the error of
// writing; Exit tells how the server ended.
func (c *Child) Close(ctx context.Context) error {
	c.stopSlowly()
	go func() {
		for range c.messages { // so that it can be written and read to the end
		}
	}()
	select {
	case <-c.gone:
	case <-ctx.Done():
		c.StopNow()
		<-c.gone
	}
	return c.w.Err()
}
