package transcript

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// patience is how long a line may take over a real transport on a busy machine.
const patience = 20 * time.Second

// last is the ping that ends a run over a transport, and its answer.
const (
	lastPing   = `{"jsonrpc":"2.0","id":"end of the transcript","method":"ping"}`
	lastAnswer = `{"jsonrpc":"2.0","id":"end of the transcript","result":{}}`
)

// Options returns the options of the function Server with which the server of the file
// uses the revision.
func (f *File) Options(r protocol.Revision) []string {
	for _, option := range f.Config {
		if strings.HasPrefix(option, "revision=") {
			return f.Config
		}
	}
	return append(f.Config[:len(f.Config):len(f.Config)], "revision="+r.String())
}

// Conn is a connection to a server made of Server(f.Options(r)) that runs the
// fixture application, over any transport.
type Conn interface {
	// Write sends lines of the peer, each of them a message or an attempt at
	// one. A transport without lines sends each by itself.
	Write(lines []byte) (int, error)
	// ReadMessage returns the next message of the server as one line without its end, in
	// the order of sending, from any stream. It ends with Close.
	ReadMessage() (string, error)
	// Close ends the connection.
	Close() error
}

// Over runs a wire file over a stream, like Play.
func (f *File) Over(stream io.ReadWriteCloser, r protocol.Revision) error {
	return f.Play(lines{stream, bufio.NewReader(stream)}, r)
}

// lines is a stream of lines as a Conn.
type lines struct {
	io.WriteCloser
	in *bufio.Reader
}

func (l lines) ReadMessage() (string, error) {
	line, err := l.in.ReadString('\n')
	if err != nil && line != "" {
		err = fmt.Errorf("%q is left over: %w", line, err)
	}
	return strings.TrimSuffix(line, "\n"), err
}

// Play runs a wire file over a real transport. It writes what the peer sends,
// and reads the expected messages, byte for byte. If
// the file starts ready, the handshake comes first; at the end a ping is sent, whose answer
// must be the next message. An error says which step differed; a message
// that does not arrive within 5 seconds counts as missing. Play always closes the
// connection.
func (f *File) Play(conn Conn, r protocol.Revision) error {
	if !f.Wire {
		return fmt.Errorf("%s is not marked wire", f.Path)
	}
	w := &wire{conn: conn, lines: make(chan string, 1024), done: make(chan struct{})}
	go w.read()
	defer func() { _ = conn.Close() }() // ignore what remains in it
	defer close(w.done)
	if err := w.run(f, r); err != nil {
		return fmt.Errorf("%s, %v, over the wire: %w", f.Path, r, err)
	}
	return nil
}

type wire struct {
	conn  Conn
	under *verbs.Envelope // in a revision without a session
	lines chan string
	done  chan struct{} // the run is over
	err   error         // why lines is closed
}

func (w *wire) read() {
	defer close(w.lines)
	for {
		line, err := w.conn.ReadMessage()
		if err != nil {
			w.err = err
			return
		}
		select {
		case w.lines <- line:
		case <-w.done:
			return
		}
	}
}

func (w *wire) run(f *File, r protocol.Revision) error {
	if r.Stateless() {
		cfg, err := Server(f.Options(r))
		if err != nil {
			return err
		}
		w.under = f.envelope(r, cfg.Info)
	} else if f.Ready {
		if err := w.handshake(f, r); err != nil {
			return fmt.Errorf("the handshake: %w", err)
		}
	}
	for i, s := range f.Steps {
		data, err := input(strings.ReplaceAll(s.Input, "${revision}", r.String()))
		if err == nil {
			err = w.write(data)
		}
		for _, line := range s.Want {
			want, sent := strings.CutPrefix(line, "< ")
			if err == nil && sent {
				err = w.expect(strings.ReplaceAll(want, "${revision}", r.String()))
			}
		}
		if err != nil {
			return fmt.Errorf("step %d, %.200s: %w", i+1, s.Input, err)
		}
	}
	if err := w.write([]byte(lastPing + "\n")); err != nil {
		return err
	}
	if err := w.expect(lastAnswer); err != nil {
		return fmt.Errorf("after the last step: %w", err)
	}
	return nil
}

func (w *wire) handshake(f *File, r protocol.Revision) error {
	steps := f.handshake()
	for _, step := range steps {
		data, err := input(strings.ReplaceAll(step, "${revision}", r.String()))
		if err != nil {
			return err
		}
		if err := w.write(data); err != nil {
			return err
		}
		if step != steps[0] {
			continue
		}
		line, err := w.next()
		if err != nil {
			return err
		}
		m := jsonrpc.DecodeString(line)
		result, err := protocol.Decode[protocol.InitializeResult](m.Body)
		if m.Kind != jsonrpc.KindResult || m.ID != jsonrpc.String("init") || err != nil || result.ProtocolVersion != r.String() {
			return fmt.Errorf("initialize was answered %s", line)
		}
	}
	return nil
}

// write writes what the peer sends. It does not wait forever for a server that does not
// read.
func (w *wire) write(data []byte) error {
	if w.under != nil {
		data = dressed(w.under, data)
	}
	watch := time.AfterFunc(patience, func() { _ = w.conn.Close() })
	defer watch.Stop()
	_, err := w.conn.Write(data)
	return err
}

// expect reads a line, which must be the expected one.
func (w *wire) expect(want string) error {
	got, err := w.next()
	switch {
	case err != nil:
		return fmt.Errorf("%w, want\n\t%.2000s", err, want)
	case w.under != nil && plain(w.under, got) != want, w.under == nil && got != want:
		return fmt.Errorf("got\n\t%.2000s\nwant\n\t%.2000s", got, want)
	}
	return nil
}

// plain returns a line of the server in the form of a session.
func plain(under *verbs.Envelope, line string) string {
	m := jsonrpc.DecodeString(line)
	if string(jsonrpc.Append(nil, m)) != line { // not written by us
		return line
	}
	out := under.Out(lifecycle.Output{Send: []lifecycle.Outgoing{{Message: m}}})
	return string(jsonrpc.Append(nil, out.Send[0].Message))
}

func (w *wire) next() (string, error) {
	select {
	case line, ok := <-w.lines:
		if !ok {
			return "", w.err
		}
		return line, nil
	case <-time.After(patience):
		return "", errors.New("nothing more came")
	}
}
