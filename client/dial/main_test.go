package dial_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/dial"
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

// command returns the definition of a server of a kind.
func command(of string) dial.Command {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return dial.Command{Args: []string{exe}, Env: []string{kind + "=" + of, "GORACE=atexit_sleep_ms=0"}}
}

// be is a server of a kind.
func be(kind string) {
	switch kind {
	case "good":
		serve()
	case "stubborn": // ends by SIGKILL
		signal.Ignore(syscall.SIGTERM)
		serve()
		select {}
	case "deaf": // reads nothing, says nothing
		signal.Ignore(syscall.SIGTERM)
		select {}
	case "where": // says where it runs, and with what
		dir, _ := os.Getwd()
		text, _ := json.Marshal(map[string]any{"dir": dir, "env": os.Environ()})
		fmt.Printf(`{"jsonrpc":"2.0","method":"notifications/where","params":%s}`+"\n", text)
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "stderr":
		fmt.Fprint(os.Stderr, "this is the log")
	case "echo": // gives back what it reads
		_, _ = io.Copy(os.Stdout, os.Stdin)
	case "garbage":
		go func() { _, _ = io.Copy(io.Discard, os.Stdin) }()
		for {
			if _, err := io.WriteString(os.Stdout, "\x00\xff}{ garbage "+strings.Repeat("x", 1000)+"\n"); err != nil {
				return
			}
		}
	case "flood":
		go func() { _, _ = io.Copy(io.Discard, os.Stdin) }()
		for {
			if _, err := io.WriteString(os.Stdout, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`+"\n"); err != nil {
				return
			}
		}
	case "pings": // asks without end, and reads no answer
		for i := 0; ; i++ {
			if _, err := fmt.Printf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", i); err != nil {
				return
			}
		}
	case "parent": // leaves a process behind that has its output
		if err := startSleeper(); err != nil {
			panic(err)
		}
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "sleeper":
		signal.Ignore(syscall.SIGTERM)
		select {}
	}
}

// serve serves one tool.
func serve() {
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "greet", InputSchema: `{"type":"object"}`},
		func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult("Hello!"), nil
		})
	cfg := server.Config{Info: protocol.Implementation{Name: "greeter", Version: "1.0.0"}}
	_ = serverstdio.Serve(context.Background(), cfg, h, os.Stdin, os.Stdout, serverstdio.Options{})
}

func unmarshal(text string, v any) error { return json.Unmarshal([]byte(text), v) }
