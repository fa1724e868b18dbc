package transcript

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc/sse"
	"github.com/sansmcp/mcp/server/streams"
)

// reader reads the events of an answer that is a stream, as lines of a script.
type reader struct {
	stream uint64
	body   io.ReadCloser
	stop   context.CancelFunc
	lines  chan string
	over   chan struct{} // closed when nothing more is read
}

func (c *reader) read() {
	defer close(c.over)
	defer close(c.lines)
	defer func() { _ = c.body.Close() }()
	defer c.stop()
	var decoder sse.Decoder
	buf := make([]byte, 32<<10)
	for {
		n, err := c.body.Read(buf)
		decoder.Push(buf[:n])
		for ev, ok := decoder.Next(); ok; ev, ok = decoder.Next() {
			c.lines <- fmt.Sprintf("[stream %d] ", c.stream) + eventLine(streams.Event{ID: ev.ID, Data: ev.Data, Retry: ev.Retry})
		}
		if errors.Is(err, io.EOF) {
			c.lines <- fmt.Sprintf("[stream %d] end", c.stream)
		}
		if err != nil {
			return
		}
	}
}

// rest returns an error if there is more to read than expected.
func (c *reader) rest() error {
	select {
	case line, ok := <-c.lines:
		if ok {
			return fmt.Errorf("nobody expects\n\t%s", line)
		}
	default:
	}
	return nil
}

// expect reads a line from the stream that it names.
func (p *player) expect(want string) error {
	name, _, _ := strings.Cut(strings.TrimPrefix(want, "[stream "), "]")
	if len(p.reading[name]) == 0 {
		return fmt.Errorf("nobody reads what is expected\n\t%s", want)
	}
	c := p.reading[name][0] // a replaced one first, to its end
	select {
	case got, ok := <-c.lines:
		switch {
		case !ok:
			return fmt.Errorf("the connection has broken, want\n\t%.2000s", want)
		case got != want:
			return fmt.Errorf("got\n\t%.2000s\nwant\n\t%.2000s", got, want)
		}
	case <-time.After(patience):
		return fmt.Errorf("nothing came, want\n\t%.2000s", want)
	}
	if strings.HasSuffix(want, "] end") {
		p.reading[name] = p.reading[name][1:]
	}
	return nil
}

// cut breaks the connection that reads a stream.
func (p *player) cut(name string) error {
	name = strings.TrimPrefix(name, "stream ")
	if len(p.reading[name]) == 0 {
		return fmt.Errorf("nobody reads stream %s", name)
	}
	c := p.reading[name][0]
	err := c.rest()
	c.stop()
	<-c.over
	p.reading[name] = p.reading[name][1:]
	return err
}

// rest returns an error if a stream has more than expected.
func (p *player) rest() error {
	for _, list := range p.reading {
		for _, c := range list {
			if err := c.rest(); err != nil {
				return err
			}
		}
	}
	return nil
}
