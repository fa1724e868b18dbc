package child_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	serverstdio "github.com/sansmcp/mcp/server/stdio"
)

// kind holds what a process of this test is, if it is a server.
const kind = "SANSMCP_TEST_SERVER"

func TestMain(m *testing.M) {
	if k := os.Getenv(kind); k != "" {
		time.AfterFunc(time.Minute, func() { os.Exit(1) }) // whatever becomes of the test
		be(k)
		return
	}
	os.Exit(m.Run())
}

// noise is what a server may write on standard error.
const noise = `panic: error: {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"fatal"}} – nichts Schlimmes`

// command returns the command of a server of a kind.
func command(kindOf string) *exec.Cmd {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), kind+"="+kindOf, "GORACE=atexit_sleep_ms=0")
	return cmd
}

// more are servers that not every system has.
var more = map[string]func(){}

// be is a server of a kind.
func be(kind string) {
	if f := more[kind]; f != nil {
		f()
		return
	}
	switch kind {
	case "good": // ends with its input
		serve()
	case "patient": // ends by SIGTERM
		serve()
		select {}
	case "stubborn": // ends by SIGKILL
		signal.Ignore(syscall.SIGTERM)
		serve()
		select {}
	case "parent": // leaves a process behind that has its output
		cmd := command("sleeper")
		cmd.Stdout = os.Stdout
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		fmt.Fprintln(os.Stderr, cmd.Process.Pid)
		serve()
	case "talker": // leaves one behind that goes on writing
		cmd := command("chatty")
		cmd.Stdout = os.Stdout
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		fmt.Fprintln(os.Stderr, cmd.Process.Pid)
	case "noisy": // writes a lot on standard error, between messages
		go func() {
			for range 100_000 {
				fmt.Fprintln(os.Stderr, noise)
			}
		}()
		serve()
	case "sleeper":
		signal.Ignore(syscall.SIGTERM)
		select {}
	case "chatty":
		signal.Ignore(syscall.SIGTERM)
		for {
			if _, err := io.WriteString(os.Stdout, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`+"\n"); err != nil {
				return
			}
		}
	case "deaf": // reads nothing
		select {}
	case "crash": // ends before it has said anything
		fmt.Fprint(os.Stderr, "Traceback\nno such module: \x1b[31m"+strings.Repeat("é", 150)+"\n\n")
		os.Exit(3)
	case "crash late": // once it has read something
		_, _ = os.Stdin.Read(make([]byte, 1))
		fmt.Fprint(os.Stderr, "out of memory")
		os.Exit(7)
	case "hello": // is no server
		fmt.Println("hello")
		fmt.Println("bye")
	case "silent": // hangs up and lives on
		fmt.Println("[INFO] listening")
		_ = os.Stdout.Close()
		select {}
	case "short": // ends after a line
		fmt.Println(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		os.Exit(3)
	}
}

// serve serves one tool.
func serve() {
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "greet", InputSchema: `{"type":"object"}`},
		func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult("Hello!"), nil
		})
	cfg := server.Config{Info: protocol.Implementation{Name: "greeter", Version: "1.0.0"}, Revisions: protocol.AllRevisions()}
	_ = serverstdio.Serve(context.Background(), cfg, h, os.Stdin, os.Stdout, serverstdio.Options{})
}
