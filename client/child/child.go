package child

import (
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/pipe"
	"github.com/sansmcp/mcp/lifecycle"
)

// Options are the settings of a Child or a Conn. A zero field means its default.
type Options struct {
	// QueueBytes is how much may wait for the server to read it before In is full. Default
	// pipe.DefaultQueueBytes.
	QueueBytes int
	// Stall is how long the server may read nothing of a full queue before it is stopped.
	// Default pipe.DefaultStall.
	Stall time.Duration
	// Term is how long the server has from the end of its input until SIGTERM (lifecycle,
	// Shutdown). Default 1.5 s.
	Term time.Duration
	// Kill is how long it has from then until SIGKILL. Default 1.5 s.
	Kill time.Duration
	// MaxBytes is how long a message of the server may be, in bytes. A longer one is skipped; if it
	// is an answer whose id can be read, its request fails. Default jsonrpc.DefaultMaxBytes.
	MaxBytes int
	// Linger is how long what the server leaves behind may hold its output, and live,
	// after it has exited. Default 0.5 s.
	Linger time.Duration
}

// The defaults of Options; package pipe has the others.
const (
	DefaultTerm   = 1500 * time.Millisecond // of Term
	DefaultKill   = 1500 * time.Millisecond // of Kill
	DefaultLinger = 500 * time.Millisecond  // of Linger
)

// urgent is Kill for those who cannot wait.
const urgent = 500 * time.Millisecond

// Child is a server as a child process, in a process group of its own where there are
// such: so that a server that was started by a shell, go run or npx is reached too. Each
// Child has clocks of its own; to end several costs the time of the slowest.
type Child struct {
	// Conn carries the messages. If In fails, the server is stopped. Messages end soon after the end
	// of the process, whoever else holds its output.
	*Conn

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

// filled returns the Options with their defaults. Errors: lifecycle.ErrConfig.
func (o Options) filled() (Options, error) {
	var f lifecycle.Filler
	f.Count("QueueBytes", &o.QueueBytes, pipe.DefaultQueueBytes)
	f.Time("Stall", &o.Stall, pipe.DefaultStall, lifecycle.NeverNone)
	f.Time("Term", &o.Term, DefaultTerm, lifecycle.NeverNone)
	f.Time("Kill", &o.Kill, DefaultKill, lifecycle.NeverNone)
	f.Count("MaxBytes", &o.MaxBytes, jsonrpc.DefaultMaxBytes)
	f.Time("Linger", &o.Linger, DefaultLinger, lifecycle.NeverNone)
	return o, f.Err("child")
}

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
	c.Conn = newConn(tail{c, out}, in, opt)
	c.exit = c.exitOf
	go c.hearLog()
	go c.waitFor()
	go func() {
		<-c.In.Done()
		_ = in.Close() // the end of its input
		c.Stop()
	}()
	return c, nil
}

// Stop ends the server: what is queued is written, then its input ends, then come the
// signals. It does not wait.
func (c *Child) Stop() {
	c.stop.Do(func() {
		go func() { _ = c.In.Close(c.opt.Term) }()
		go c.signals()
	})
}

// StopNow is Stop without patience: SIGTERM at once and SIGKILL soon.
func (c *Child) StopNow() {
	c.fast.Do(func() { close(c.hurry) })
	c.Stop()
}

// Gone is closed when the process has exited, and what it left behind in its group is
// killed.
func (c *Child) Gone() <-chan struct{} { return c.gone }

// Pid returns the id of the process, for logs. After Gone another process may have it.
func (c *Child) Pid() int { return c.cmd.Process.Pid }

// Exit returns how the process ended. It is for after Gone.
func (c *Child) Exit() error { return c.err }

func (c *Child) signals() {
	timer := time.NewTimer(c.opt.Term)
	defer timer.Stop()
	select {
	case <-c.exited:
		return
	case <-timer.C:
	case <-c.hurry:
	}
	signalGroup(c.cmd.Process, syscall.SIGTERM) // STDIO-011
	timer.Reset(c.opt.Kill)
	select {
	case <-c.exited:
		return
	case <-timer.C:
	case <-c.hurry:
		timer.Reset(min(urgent, c.opt.Kill))
		select {
		case <-c.exited:
			return
		case <-timer.C:
		}
	}
	signalGroup(c.cmd.Process, syscall.SIGKILL) // STDIO-012
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
	c.Stop()
	if left(c.cmd.Process) {
		time.Sleep(c.opt.Linger)
		signalGroup(c.cmd.Process, syscall.SIGKILL)
	}
	close(c.gone)
}

// hearLog reads what nobody else takes of standard error.
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
// but nothing is waited for any longer than Linger, and there is an end even to the output
// of somebody who goes on writing.
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
