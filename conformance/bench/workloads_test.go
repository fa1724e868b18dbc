package bench

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"testing"
)

var list = flag.Bool("list", false, "print the benchmarks, one workload and library a line, and exit")

func TestMain(m *testing.M) {
	flag.Parse()
	if !*list {
		os.Exit(m.Run())
	}
	for _, w := range Workloads {
		for _, l := range libraries {
			if benchmark(w.Name, l) != nil {
				fmt.Println(w.Name, l.name)
			}
		}
	}
}

// BenchmarkWorkloads measures every workload with every library that has it.
func BenchmarkWorkloads(b *testing.B) {
	for _, w := range Workloads {
		b.Run(w.Name, func(b *testing.B) {
			for _, l := range libraries {
				if run := benchmark(w.Name, l); run != nil {
					b.Run(l.name, run)
				}
			}
		})
	}
}

// benchmark returns the benchmark of a workload for a library, nil if the library does
// not have it.
func benchmark(workload string, l library) func(*testing.B) {
	if r, ok := requests()[workload]; ok && l.server != nil && (l.whole() || !r.spec.checked && !r.spec.stateless) {
		return func(b *testing.B) { dispatch(b, l, r) }
	}
	if m, ok := passes[workload]; ok && l.relay != nil {
		return func(b *testing.B) { relayed(b, l, m) }
	}
	switch {
	case workload == "notification" && l.server != nil:
		return func(b *testing.B) { notify(b, l) }
	case workload == "client-call" && l.client != nil:
		return func(b *testing.B) { callTool(b, must(l.client())(b)) }
	case workload == "both-1" && l.pair != nil:
		return func(b *testing.B) { both(b, l, 1) }
	case workload == "both-64" && l.pair != nil:
		return func(b *testing.B) { both(b, l, 64) }
	case workload == "idle-server" && l.serverSessions != nil:
		return func(b *testing.B) { idle(b, l.serverSessions) }
	case workload == "idle-client" && l.clientSessions != nil:
		return func(b *testing.B) { idle(b, l.clientSessions) }
	case workload == "in-flight" && l.holder != nil:
		return func(b *testing.B) { inFlight(b, l, 10000) }
	case workload == "one-more-1" && l.holder != nil:
		return func(b *testing.B) { oneMore(b, l, 1) }
	case workload == "one-more-100000" && l.holder != nil:
		return func(b *testing.B) { oneMore(b, l, 100000) }
	case workload == "http-1" && l.http != nil:
		return func(b *testing.B) { overHTTP(b, l, 1, true) }
	case workload == "http-64" && l.http != nil:
		return func(b *testing.B) { overHTTP(b, l, 64, true) }
	case workload == "http-64-sessions" && l.http != nil:
		return func(b *testing.B) { overHTTP(b, l, 64, false) }
	case workload == "http-client-1" && l.httpClient != nil:
		return func(b *testing.B) { clientOverHTTP(b, l, 1) }
	case workload == "http-client-64" && l.httpClient != nil:
		return func(b *testing.B) { clientOverHTTP(b, l, 64) }
	case workload == "http-idle" && l.http != nil && l.name != floorHTTP.name:
		return func(b *testing.B) { idleOverHTTP(b, l, false) }
	case workload == "http-listening" && l.http != nil:
		return func(b *testing.B) { idleOverHTTP(b, l, true) }
	}
	return nil
}

// whole reports whether the library has a server that can check arguments against a schema, and one that
// serves requests without a session.
func (l library) whole() bool { return l.name != floorAPI.name }

// dispatch measures one raw request in, one raw response out.
func dispatch(b *testing.B, l library, r request) {
	s := must(l.server(r.spec))(b)
	defer s.Close()
	resp, err := s.Dispatch(r.msg)
	if err = errors.Join(err, r.check(resp)); err != nil {
		b.Fatal(err)
	}
	measure(b, func() error {
		_, err := s.Dispatch(r.msg)
		return err
	})
}

func notify(b *testing.B, l library) {
	s := must(l.server(serverSpec{}))(b)
	defer s.Close()
	msg := []byte(notification)
	measure(b, func() error { return s.Notify(msg) })
}

func callTool(b *testing.B, c client) {
	defer c.Close()
	measure(b, func() error { return expectEcho(c.Call("echo", echoArgs)) })
}

// both measures calls between a client and a server in memory. One op is one call.
func both(b *testing.B, l library, inflight int) {
	p := must(l.pair())(b)
	defer p.Close()
	b.ReportAllocs()
	report := cpu(b)
	b.ResetTimer()
	if err := p.Run(b.N, inflight); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	report()
}

// idle measures the size of an idle initialized session.
func idle(b *testing.B, sessions func() (opener, error)) {
	const n = 10000
	for range b.N {
		open := must(sessions())(b)
		o := opened{kept: make([]any, 0, n+1), closes: make([]func(), 0, n+1)}
		o.add(b, open) // the first creates shared parts
		settle()
		before := memory()
		for range n {
			o.add(b, open)
		}
		settle()
		b.ReportMetric((float64(memory())-float64(before))/n, Bytes)
		runtime.KeepAlive(open)
		o.Close()
	}
}

// opened are open sessions.
type opened struct {
	kept   []any
	closes []func()
}

func (o *opened) add(t testing.TB, open opener) {
	s, end, err := open()
	if end != nil {
		o.closes = append(o.closes, end)
	}
	if o.kept = append(o.kept, s); err != nil {
		t.Fatal(err)
	}
}

// Close closes them.
func (o *opened) Close() {
	for _, end := range o.closes {
		end()
	}
}

// inFlight measures the size of a request without an answer at the client.
func inFlight(b *testing.B, l library, n int) {
	for range b.N {
		c := must(l.holder())(b)
		settle()
		before := memory()
		err := c.Hold(n)
		settle()
		b.ReportMetric((float64(memory())-float64(before))/float64(n), "B/request")
		runtime.KeepAlive(c)
		c.Close()
		if err != nil {
			b.Fatal(err)
		}
	}
}

// oneMore measures another call and its answer while n are in flight.
func oneMore(b *testing.B, l library, n int) {
	c := must(l.holder())(b)
	if err := c.Hold(n); err != nil {
		b.Fatal(err)
	}
	settle()
	callTool(b, c)
}
