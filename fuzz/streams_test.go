package fuzz_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// FuzzStreams runs a program on the streams of a session: two bytes are a step, what happens
// and to which. In any order of events the value is sound, deadlines are kept,
// and a snapshot restores unchanged. A damaged snapshot is refused, or is sound
// too.
func FuzzStreams(f *testing.F) {
	f.Add([]byte("\x00\x00\x03\x01\x01\x00\x06\x02\x04\x01\x02\x00\x05\x02\x09\x03"))
	f.Add([]byte("\x07\x00\x0a\x00\x08\x00\x04\x01\x07\x00\x09\x03\x0b\x40\x05\x01"))
	f.Add([]byte("\x00\x00\x00\x01\x0c\x00\x0b\x10\x02\x00\x0d\x01\x09\x02\x02\x01\x0e\x00"))
	f.Fuzz(func(t *testing.T, program []byte) {
		opt := streams.Options{MaxBytes: 2000, MaxAnswers: 1000, MaxListeners: 2, Keep: time.Second, Idle: 5 * time.Second}
		now := time.Unix(1000, 0)
		cfg := server.Config{Info: who, Serve: []string{"tools/call", "tools/list"}, Logging: true}
		s, err := server.New(cfg, now)
		if err != nil {
			t.Fatal(err)
		}
		x, id := streams.New(opt), 0
		post := func(text string) {
			m := jsonrpc.Decode([]byte(text))
			next, out := s.Receive(now, m)
			x, s, _, _ = x.Post(next, now, m, out)
		}
		post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}`)
		post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		does := func(next server.State, out server.Output, err error) {
			if err == nil {
				x, s, _ = x.Handle(next, now, out)
			}
		}
		for ; len(program) > 1; program = program[2:] {
			arg := int(program[1])
			c := streams.Conn{Stream: streams.ID(arg & 7), Gen: uint32(1 + arg>>3&3)}
			var call server.Call
			for info := range s.Inbound() {
				if call = info.Call; arg&1 == 0 {
					break
				}
			}
			switch program[0] % 16 {
			case 0:
				id++
				post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":%d}}}`, id, id))
			case 1:
				does(s.Progress(now, call, protocol.ProgressParams{Progress: float64(len(program) * -1)}))
			case 2:
				does(s.Respond(now, call, protocol.TextResult(fmt.Sprintf("%*d", 4*arg, 1))))
			case 3:
				x, s, _ = x.Begin(s, now, c)
			case 4:
				x, s, _ = x.Detach(s, now, c)
			case 5:
				x, s, _, _, _, _ = x.Resume(s, now, fmt.Sprintf("%d-%d", arg&7, arg>>3))
			case 6:
				x = x.Wrote(now, c, arg>>5)
			case 7:
				x, s, _, _, _ = x.Listen(s, now)
			case 8:
				does(s.Notify(now, protocol.LoggingMessageParams{Level: "info", Data: "1"}, server.Call{}))
			case 9:
				now = now.Add(time.Duration(arg) * 50 * time.Millisecond)
				x, s, _ = x.Tick(s, now)
				if due, ok := x.NextDeadline(); ok && !due.After(now) {
					t.Fatalf("after Tick(%v) the next deadline is %v", now, due)
				}
			case 10:
				does(s.Request(now, protocol.ElicitParams{Message: "?", RequestedSchema: protocol.ElicitSchema{Properties: []protocol.Property{}}}, server.RequestOptions{Within: call}))
			case 11:
				data := x.Snapshot()
				same, err := streams.Restore(opt, data, s, now)
				if err != nil || string(same.Snapshot()) != string(data) {
					t.Fatalf("%v: %s", err, data)
				}
				data[arg*len(data)/256] ^= 1 << (arg & 7)
				if odd, err := streams.Restore(opt, data, s, now); err == nil {
					same = odd
				} else if !errors.Is(err, lifecycle.ErrSnapshot) {
					t.Fatal(err)
				}
				x = same
			case 12:
				x, s, _, _ = x.HangUp(s, now, call, time.Duration(arg))
			case 13:
				x, s, _ = x.Answered(s, now, c)
			case 14:
				post(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, arg&7))
			case 15:
				if x, s, _ = x.DetachAll(s, now); arg == 255 {
					next, out := s.Disconnected(now, nil)
					does(next, out, nil)
				}
			}
			if err := x.Check(); err != nil {
				t.Fatal(err)
			}
			x.Read(c, arg>>5)
		}
	})
}
