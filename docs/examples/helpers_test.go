//go:build unix

package examples_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/stdio"
)

// life is how long a helper lives that nobody ends: long after its test has failed.
const life = time.Minute

// begin is the name of the file that a helper waits for that is held.
const begin = "begin"

// helper is the servers that a process of this test can be: it is started with the
// arguments "helper", the name and a folder for a file that is named by its process id.
func helper(name, dir string) error {
	if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(os.Getpid())), []byte(name), 0o600); err != nil {
		return err
	}
	time.AfterFunc(life, func() { os.Exit(1) })
	switch name {
	case "mute": // reads and says nothing
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	case "dead": // is gone before it has said anything
		return nil
	case "sleeper": // ignores whatever can be ignored
		signal.Ignore(syscall.SIGTERM, syscall.SIGPIPE)
		select {}
	case "stubborn": // serves, but neither the end of input nor SIGTERM ends it
		signal.Ignore(syscall.SIGTERM)
		_ = serve(os.Stdin, nil)
		select {}
	case "parent": // serves well, but a process that it started holds its output
		exe, err := os.Executable()
		if err != nil {
			return err
		}
		cmd := exec.Command(exe, "helper", "sleeper", dir)
		cmd.Stdout = os.Stdout
		if err := cmd.Start(); err != nil {
			return err
		}
		return serve(os.Stdin, nil)
	case "late": // starts slowly
		time.Sleep(1500 * time.Millisecond)
		return serve(os.Stdin, nil)
	case "held": // starts when it is told to
		for {
			if _, err := os.Stat(filepath.Join(dir, begin)); err == nil {
				return serve(os.Stdin, nil)
			}
			time.Sleep(5 * time.Millisecond)
		}
	case "deaf": // takes part until it is ready, and reads no more
		return serve(io.MultiReader(io.LimitReader(ready(os.Stdin), 1<<20), never{}), nil)
	case "chatty": // says all the time what nobody has asked for
		return serve(os.Stdin, func() {
			for _, line := range []string{logLine, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n"} {
				go func() {
					for {
						if _, err := os.Stdout.WriteString(line); err != nil {
							return
						}
					}
				}()
			}
		})
	case "news": // says 200 MB when it is called
		return serve(os.Stdin, nil)
	case "listless": // has no list of templates
		return listless(os.Stdin)
	}
	return fmt.Errorf("no helper %q", name)
}

var logLine = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + strings.Repeat("x", 1000) + `"}}` + "\n"

// ready ends after the request for the tools.
func ready(in io.Reader) io.Reader {
	r, w := io.Pipe()
	go func() {
		for scan := bufio.NewScanner(in); scan.Scan(); {
			fmt.Fprintln(w, scan.Text())
			if strings.Contains(scan.Text(), "tools/list") {
				break
			}
		}
		_ = w.Close()
	}()
	return r
}

// never is a stream on which nothing comes.
type never struct{}

func (never) Read([]byte) (int, error) { select {} }

// serve serves the tools of a helper; before runs beside the session.
func serve(in io.Reader, before func()) error {
	var h server.Handlers
	add := func(name string, f server.ToolFunc) {
		h.Tool(protocol.Tool{Name: name, InputSchema: `{"type":"object"}`}, f)
	}
	add("own", func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return protocol.TextResult("own"), nil
	})
	add("hang", func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		select {}
	})
	add("die", func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		os.Exit(3)
		return nil, nil
	})
	add("talk", func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		for range 200_000 {
			if _, err := os.Stdout.WriteString(logLine); err != nil {
				return nil, err
			}
		}
		return protocol.TextResult("that is all"), nil
	})
	if before != nil {
		before()
	}
	return stdio.Serve(context.Background(), server.Config{
		Info: protocol.Implementation{Name: "helper", Version: "1"}, ListChanged: protocol.CapToolsListChanged, Logging: true,
	}, &h, in, os.Stdout, stdio.Options{})
}

// listless is a server that declares resources and refuses one of their lists.
func listless(in io.Reader) error {
	for scan := bufio.NewScanner(in); scan.Scan(); {
		_, id, _ := strings.Cut(scan.Text(), `"id":`)
		id, _, _ = strings.Cut(id, ",")
		answer := `"error":{"code":-32601,"message":"Method not found"}`
		switch line := scan.Text(); {
		case strings.Contains(line, `"initialize"`):
			answer = `"result":{"protocolVersion":"2025-06-18","capabilities":{"resources":{},"tools":{}},"serverInfo":{"name":"l","version":"1"}}`
		case strings.Contains(line, `"notifications/`):
			continue
		case strings.Contains(line, `"resources/list"`):
			answer = `"result":{"resources":[{"uri":"file:///a","name":"a"}]}`
		case strings.Contains(line, `"tools/list"`):
			answer = `"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`
		case strings.Contains(line, `"tools/call"`):
			answer = `"result":{"content":[{"type":"text","text":"called"}]}`
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", id, answer)
	}
	return nil
}
