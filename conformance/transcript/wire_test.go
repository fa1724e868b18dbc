package transcript_test

import (
	"bufio"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/protocol"
)

// At least half of the server files need only a stream, or a socket if
// the peer uses HTTP.
func TestHalfAreWire(t *testing.T) {
	files, err := transcript.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, http := range []bool{false, true} {
		servers, wire := 0, 0
		for _, f := range files {
			if f.Role == protocol.Server && f.HTTP == http {
				servers++
			}
			if f.HTTP == http && (f.Wire || f.Socket && !f.Waits()) {
				wire++
			}
		}
		t.Logf("over HTTP %v: %d of %d files for servers are marked wire", http, wire, servers)
		if servers == 0 || 2*wire < servers {
			t.Errorf("over HTTP %v: %d of %d files for servers are marked wire, want half at least", http, wire, servers)
		}
	}
}

func parse(t *testing.T, text string) (*transcript.File, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "script.txt")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return transcript.Parse(path)
}

// A wire file contains only what a stream can carry and show.
func TestWireMark(t *testing.T) {
	ping := "> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"
	for name, text := range map[string]string{
		"role: client":   "# role: client\n# wire\n\n" + ping,
		"no line of the": "# role: server\n# wire\n\n" + ping + "@ +1s\n",
		"app shutdown":   "# role: server\n# wire\n\napp shutdown 1s\n",
		"it closes":      "# role: server\n# wire\n\n" + ping + "close shutdown\n",
	} {
		if _, err := parse(t, text); err == nil {
			t.Errorf("%s: no error", name)
		}
		if f, err := parse(t, strings.Replace(text, "# wire\n", "", 1)); err != nil {
			t.Error(err)
		} else if err := f.Over(nil, protocol.Revision20250618); err == nil || !strings.Contains(err.Error(), "not marked wire") {
			t.Errorf("%s: ran without the mark: %v", name, err)
		}
	}
}

// A run over a transport fails for a missing, an extra or a different line, and
// for a stream that ends, and passes for the expected lines.
func TestOverFails(t *testing.T) {
	f, err := parse(t, `# role: server
# wire
# config: tools
# start: ready

> {"jsonrpc":"2.0","id":1,"method":"ping"}
< {"jsonrpc":"2.0","id":1,"result":{}}
> {"jsonrpc":"2.0","method":"notifications/unknown"}
! ignored JRPC-020 notifications/unknown
`)
	if err != nil {
		t.Fatal(err)
	}
	const (
		hello = `{"jsonrpc":"2.0","id":"init","result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`
		pong  = `{"jsonrpc":"2.0","id":1,"result":{}}`
		last  = `{"jsonrpc":"2.0","id":"end of the transcript","result":{}}`
	)
	for _, c := range []struct {
		name    string
		answers map[string]string // by a part of the peer's line
		want    string            // in the error; none if empty
	}{
		{"as expected", map[string]string{"initialize\"": hello, "\"id\":1": pong, "end of": last}, ""},
		{"a line is missing", map[string]string{"initialize\"": hello, "end of": last}, "step 1"},
		{"a line too many in a step", map[string]string{"initialize\"": hello, "\"id\":1": pong + "\n" + pong, "end of": last}, "after the last step"},
		{"an answer to a notification", map[string]string{"initialize\"": hello, "\"id\":1": pong, "unknown": pong, "end of": last}, "after the last step"},
		{"an answer to initialized", map[string]string{"initialize\"": hello, "initialized": pong, "\"id\":1": pong, "end of": last}, "after the last step"},
		{"other bytes", map[string]string{"initialize\"": hello, "\"id\":1": strings.ReplaceAll(pong, ",", ", "), "end of": last}, "step 1"},
		{"another revision", map[string]string{"initialize\"": strings.Replace(hello, "06-18", "03-26", 1), "\"id\":1": pong, "end of": last}, "the handshake"},
		{"no handshake", map[string]string{"initialize\"": pong}, "the handshake"},
		{"the stream ends", map[string]string{"initialize\"": hello, "\"id\":1": ""}, "EOF"},
		{"the stream ends within a line", map[string]string{"initialize\"": hello, "\"id\":1": pong, "end of": last[:9]}, "is left over"},
	} {
		synctest.Test(t, func(t *testing.T) { // so that missing lines cost no time
			ours, theirs := net.Pipe()
			go answer(theirs, c.answers)
			err := f.Over(ours, protocol.Revision20250618)
			switch {
			case c.want == "" && err != nil:
				t.Errorf("%s: %v", c.name, err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
			}
		})
	}
}

// answer is a peer that only answers: for an empty answer and for a cut one it
// closes.
func answer(stream io.ReadWriteCloser, answers map[string]string) {
	defer stream.Close()
	in := bufio.NewScanner(stream)
	for in.Scan() {
		for part, text := range answers {
			if !strings.Contains(in.Text(), part) {
				continue
			}
			if !strings.HasSuffix(text, "}") {
				_, _ = io.WriteString(stream, text) // the run may be over
				return
			}
			_, _ = io.WriteString(stream, text+"\n")
		}
	}
}
