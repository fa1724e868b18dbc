//go:build unix

package examples_test

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// patience is how long what has to happen may take, however busy the machine is. It is much
// less than a helper lives that nobody ends.
const patience = 20 * time.Second

// bin is where the programs are.
var bin string

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "helper" {
		if err := helper(os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, "helper:", err)
			os.Exit(1)
		}
		return
	}
	_ = flag.Set("test.parallel", "16") // nearly all that they do is wait
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if bin, err = os.MkdirTemp("", "examples"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(bin)
	if out, err := exec.Command("go", "build", "-ldflags", "-s -w", "-o", bin+"/", "./stdioserver", "./httpserver", "./client", "./relay", "./loop", "./gateway", "./tool", "./call", "./booking").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s%v\n", out, err)
		return 1
	}
	return m.Run()
}

func program(name string) string { return filepath.Join(bin, name) }

// command returns the words that start a helper.
func command(t *testing.T, name, dir string) []string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{exe, "helper", name, dir}
}

// running is a program with a client of it that this test is.
type running struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   io.ReadCloser
	lines chan string
	gone  chan struct{}
	errs  string // the file that has its standard error: nobody waits for who else holds that
}

// start starts a program.
func start(t *testing.T, words ...string) *running {
	t.Helper()
	p := &running{t: t, cmd: exec.Command(words[0], words[1:]...), lines: make(chan string, 100_000), gone: make(chan struct{})}
	errs, err := os.Create(filepath.Join(t.TempDir(), "errs"))
	if err != nil {
		t.Fatal(err)
	}
	defer errs.Close()
	p.errs, p.cmd.Stderr = errs.Name(), errs
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out, p.cmd.Stdout = r, w
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	go func() {
		defer close(p.lines)
		for b := bufio.NewReader(r); ; {
			line, err := b.ReadString('\n')
			if err != nil {
				return
			}
			p.lines <- line
		}
	}()
	go func() {
		_ = p.cmd.Wait()
		close(p.gone)
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.gone
		_ = r.Close()
		if t.Failed() {
			t.Logf("%s said: %s", filepath.Base(words[0]), p.said())
		}
	})
	return p
}

// said returns what the program has said on standard error.
func (p *running) said() string {
	text, err := os.ReadFile(p.errs)
	if err != nil {
		p.t.Error(err)
	}
	return string(text)
}

// say writes a line; a program that does not read for long gets no more.
func (p *running) say(format string, args ...any) {
	if f, ok := p.in.(interface{ SetWriteDeadline(time.Time) error }); ok {
		_ = f.SetWriteDeadline(time.Now().Add(patience))
	}
	fmt.Fprintf(p.in, format+"\n", args...)
}

// open runs the handshake.
func (p *running) open() {
	p.t.Helper()
	p.say(`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	p.next(`"id":"open"`)
	p.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// next returns the next line with this in it.
func (p *running) next(want string) string {
	p.t.Helper()
	late := time.After(patience)
	for {
		select {
		case line, ok := <-p.lines:
			if !ok {
				p.t.Fatalf("the end of output, want %s", want)
			}
			if strings.Contains(line, want) {
				return line
			}
		case <-late:
			p.t.Fatalf("nothing comes, want %s", want)
		}
	}
}

// request sends a request and returns the line that answers it, and how long that took.
func (p *running) request(id int, method, params string) (string, time.Duration) {
	p.t.Helper()
	began := time.Now()
	p.say(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
	return p.next(fmt.Sprintf(`"id":%d,`, id)), time.Since(began)
}

// all returns the next lines with each of these in it, in whatever order they come.
func (p *running) all(wants ...string) []string {
	p.t.Helper()
	lines := make([]string, len(wants))
	for slices.Contains(lines, "") {
		line := p.next("")
		for i, want := range wants {
			if lines[i] == "" && strings.Contains(line, want) {
				lines[i] = line
				break
			}
		}
	}
	return lines
}

// alive returns the names of the helpers of a folder that have not exited.
func alive(dir string) (names []string) {
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		pid, err := strconv.Atoi(f.Name())
		if err != nil || syscall.Kill(pid, 0) != nil {
			continue
		}
		// A zombie has exited: whoever inherited it has not looked yet.
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && bytes.Contains(stat, []byte(") Z ")) {
			continue
		}
		name, _ := os.ReadFile(filepath.Join(dir, f.Name()))
		names = append(names, string(name))
	}
	return names
}

// folder returns a folder for helpers; those that still run at the end of the test are
// killed.
func folder(t *testing.T) string {
	dir := t.TempDir()
	t.Cleanup(func() {
		files, _ := os.ReadDir(dir)
		for _, f := range files {
			pid, err := strconv.Atoi(f.Name())
			if err != nil {
				continue
			}
			// The number may be somebody else's by now.
			if line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil && bytes.Contains(line, []byte(dir)) {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	})
	return dir
}

// started waits until so many helpers of a folder have begun.
func started(t *testing.T, dir string, n int) {
	t.Helper()
	end := time.Now().Add(patience)
	for files, _ := os.ReadDir(dir); len(files) < n; files, _ = os.ReadDir(dir) {
		if time.Now().After(end) {
			t.Fatalf("%d helpers have begun, want %d", len(files), n)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
