// The inject command stands between an MCP client and a stdio server and puts
// lines that are no messages into one direction of a session.
//
//	inject -to server|client -report FILE COMMAND ARGS...
//
// It starts COMMAND, hands every line on unchanged in both directions, and from
// the client's initialized notification on, or without a session from its first request
// after the probe on, inserts a bad line after each line that goes to the chosen party. It exits as the server did, and ends a server that
// is still there 3 s after its input closed. FILE always has the number of lines
// inserted, so that a run that inserted none can be told.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sansmcp/mcp/conformance/interop/junk"
)

type direction struct {
	mu     sync.Mutex
	w      io.Writer
	live   *atomic.Bool
	report string // "" if nothing is inserted
	n      int
}

func (d *direction) line(b []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, err := d.w.Write(b); err != nil {
		return err
	}
	return d.insert()
}

// insert writes one bad line if it is time for that; d.mu is held.
func (d *direction) insert() error {
	if d.report == "" || !d.live.Load() {
		return nil
	}
	if _, err := io.WriteString(d.w, junk.Texts[d.n%len(junk.Texts)]+"\n"); err != nil {
		return err
	}
	d.n++
	return os.WriteFile(d.report, fmt.Appendln(nil, d.n), 0o644)
}

// begins reports whether a line of the client is one that comes once the two know the revision.
func begins(line []byte) bool {
	return bytes.Contains(line, []byte(`"notifications/initialized"`)) ||
		bytes.Contains(line, []byte(`"io.modelcontextprotocol/protocolVersion"`)) && !bytes.Contains(line, []byte(`"server/discover"`))
}

func copyLines(r io.Reader, each func([]byte) error) error {
	br := bufio.NewReader(r)
	for {
		b, err := br.ReadBytes('\n')
		if len(b) > 0 {
			if werr := each(b); werr != nil {
				return werr
			}
		}
		if err != nil {
			return err
		}
	}
}

func main() {
	to := flag.String("to", "server", "the party that gets the bad lines: server or client")
	report := flag.String("report", "", "file for the number of inserted lines")
	flag.Parse()
	if flag.NArg() == 0 || *report == "" || (*to != "server" && *to != "client") {
		flag.Usage()
		os.Exit(2)
	}
	code, err := run(*to, *report, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "inject:", err)
	}
	os.Exit(code)
}

func run(to, report string, argv []string) (code int, err error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return 1, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 1, err
	}
	if err := cmd.Start(); err != nil {
		return 1, err
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, os.Interrupt)
	go func() { cmd.Process.Signal(<-stop) }()

	var live atomic.Bool
	toServer := &direction{w: in, live: &live}
	toClient := &direction{w: os.Stdout, live: &live}
	if to == "server" {
		toServer.report = report
	} else {
		toClient.report = report
	}
	go func() {
		copyLines(os.Stdin, func(b []byte) error {
			first := !live.Load() && begins(b)
			if first {
				live.Store(true)
			}
			if err := toServer.line(b); err != nil || !first {
				return err
			}
			toClient.mu.Lock()
			defer toClient.mu.Unlock()
			return toClient.insert()
		})
		in.Close()
		time.AfterFunc(3*time.Second, func() { cmd.Process.Kill() })
	}()
	copyLines(out, toClient.line)
	err = cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return max(exit.ExitCode(), 1), nil
	}
	if err != nil {
		return 1, err
	}
	return 0, nil
}
