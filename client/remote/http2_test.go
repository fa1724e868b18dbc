package remote

import (
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"

	"github.com/sansmcp/mcp/jsonrpc"
)

// over2 returns a row whose server speaks HTTP/2 by hand: net/http has no way to reset a stream with
// a code of one's own. spoil is done to each call.
func over2(spoil func(c *conn2, id uint32)) func(*wire) {
	return func(s *wire) {
		plain := httptest.NewUnstartedServer(nil)
		plain.StartTLS()
		certs := plain.TLS.Certificates
		plain.Close()
		l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: certs, NextProtos: []string{"h2"}})
		if err != nil {
			s.t.Fatal(err)
		}
		s.t.Cleanup(func() { _ = l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go (&conn2{s, c, spoil}).serve()
			}
		}()
		s.url = "https://" + l.Addr().String() + "/mcp"
		s.opt.Client = &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	}
}

// conn2 is a connection of HTTP/2 as far as a test needs it.
type conn2 struct {
	s     *wire
	c     net.Conn
	spoil func(c *conn2, id uint32)
}

const (
	frameData, frameHeaders, frameReset, frameSettings, framePing, frameGoAway = 0, 1, 3, 4, 6, 7
	endStream, endHeaders, ack                                                 = 1, 4, 1
)

func (c *conn2) serve() {
	defer func() { _ = c.c.Close() }()
	if _, err := io.ReadFull(c.c, make([]byte, len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))); err != nil {
		return
	}
	c.frame(frameSettings, 0, 0, nil)
	bodies := map[uint32][]byte{}
	var head [9]byte
	for {
		if _, err := io.ReadFull(c.c, head[:]); err != nil {
			return
		}
		body := make([]byte, int(head[0])<<16|int(head[1])<<8|int(head[2]))
		if _, err := io.ReadFull(c.c, body); err != nil {
			return
		}
		id := binary.BigEndian.Uint32(head[5:])
		switch kind, flags := head[3], head[4]; kind {
		case frameSettings:
			if flags&ack == 0 {
				c.frame(frameSettings, ack, 0, nil)
			}
		case framePing:
			c.frame(framePing, ack, 0, body)
		case frameHeaders, frameData:
			if kind == frameData {
				bodies[id] = append(bodies[id], body...)
			}
			if flags&endStream != 0 {
				c.request(id, jsonrpc.Decode(bodies[id]))
			}
		}
	}
}

func (c *conn2) request(id uint32, m jsonrpc.Message) {
	switch {
	case m.Method == "notifications/cancelled":
		c.s.cancels.Add(1)
		c.frame(frameHeaders, endHeaders|endStream, id, status2("202"))
	case m.Kind != jsonrpc.KindRequest:
		c.frame(frameHeaders, endHeaders|endStream, id, status2("202"))
	case m.Method == "tools/call":
		c.s.calls.Add(1)
		c.spoil(c, id)
	default:
		// content-type (31 of the static table), without indexing.
		c.frame(frameHeaders, endHeaders, id, append([]byte{0x88, 0x0f, 0x10, byte(len("application/json"))}, "application/json"...))
		c.frame(frameData, endStream, id, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, initialized))
	}
}

// status2 is the field :status (8 of the static table), without indexing.
func status2(code string) []byte { return append([]byte{0x08, byte(len(code))}, code...) }

func (c *conn2) frame(kind, flags byte, id uint32, body []byte) {
	n := len(body)
	head := []byte{byte(n >> 16), byte(n >> 8), byte(n), kind, flags, 0, 0, 0, 0}
	binary.BigEndian.PutUint32(head[5:], id)
	_, _ = c.c.Write(append(head, body...))
}

func (c *conn2) reset(id, code uint32) {
	c.frame(frameReset, 0, id, binary.BigEndian.AppendUint32(nil, code))
}

func (c *conn2) goAway(last uint32) {
	c.frame(frameGoAway, 0, 0, append(binary.BigEndian.AppendUint32(nil, last), 0, 0, 0, 0))
}

func (c *conn2) end() { _ = c.c.Close() }
