package jetstream_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/sansmcp/mcp/conformance/tables"
	"github.com/sansmcp/mcp/server/jetstream"
	"github.com/sansmcp/mcp/server/nethttp"
)

// node is a server within the test.
type node struct {
	opt server.Options
	*server.Server
}

// start starts servers, which are a cluster if there are several.
func start(n int, dir func() string) (nodes []*node, err error) {
	var routes []string
	for i := range n {
		x := &node{opt: server.Options{
			Host: "127.0.0.1", Port: -1, ServerName: fmt.Sprint("n", i), JetStream: true, StoreDir: dir(), NoSigs: true, NoLog: true,
		}}
		if n > 1 {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				return nil, err
			}
			x.opt.Cluster = server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port}
			routes = append(routes, "nats://"+l.Addr().String())
			_ = l.Close() // nothing came over it
		}
		nodes = append(nodes, x)
	}
	for _, x := range nodes {
		x.opt.Routes = server.RoutesFromStr(strings.Join(routes, ","))
		if err := x.start(); err != nil {
			return nodes, err
		}
	}
	for _, x := range nodes {
		if !x.ReadyForConnections(20 * time.Second) {
			return nodes, errors.New("a server does not start")
		}
		x.opt.Port = x.Addr().(*net.TCPAddr).Port
	}
	return nodes, nil
}

func (x *node) start() error {
	opt := x.opt
	s, err := server.NewServer(&opt)
	if err != nil {
		return err
	}
	s.Start()
	x.Server = s
	return nil
}

func (x *node) stop() {
	x.Shutdown()
	x.WaitForShutdown()
}

// running starts servers, again if another process has taken a port of theirs before they listened.
func running(t *testing.T, n int) []*node {
	t.Helper()
	nodes, err := start(n, t.TempDir)
	for range 3 {
		if err != nil {
			stop(nodes)
			nodes, err = start(n, t.TempDir)
		}
	}
	t.Cleanup(func() { stop(nodes) })
	if err != nil {
		t.Fatal(err)
	}
	return nodes
}

func stop(nodes []*node) {
	for _, x := range nodes {
		if x.Server != nil {
			x.stop()
		}
	}
}

func open(t *testing.T, url string, opt jetstream.Options) jetstream.Table {
	t.Helper()
	conn, err := jetstream.Dial(url)
	if err != nil {
		t.Fatal(err)
	}
	var tab jetstream.Table
	for range 100 { // a cluster that begins has no leader
		if tab, err = jetstream.New(t.Context(), conn, opt); err == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tab.Close(); err != nil {
			t.Error(err)
		}
		conn.Close()
	})
	return tab
}

// largest is the greatest record of a server whose max_payload is the default.
const largest = 1<<20 - 512

// A Table passes the tests of all Tables on a server that is ended and started again.
func TestTable(t *testing.T) {
	x := running(t, 1)[0]
	url := x.ClientURL()
	tables.Test(t, tables.Store{
		Table:   func(t *testing.T) nethttp.Table { return open(t, url, jetstream.Options{}) },
		Expires: true, Largest: largest,
		Stop: func(*testing.T) { x.stop() },
		Start: func(t *testing.T) {
			if err := x.start(); err != nil || !x.ReadyForConnections(10*time.Second) {
				t.Fatal(err)
			}
		},
	})
}

// The same on a cluster that keeps three copies, each process at another server.
func TestReplicas(t *testing.T) {
	nodes := running(t, 3)
	i := 0
	tables.Test(t, tables.Store{
		Table: func(t *testing.T) nethttp.Table {
			i++
			return open(t, nodes[i%3].ClientURL(), jetstream.Options{Replicas: map[bool]int{true: 3}[i == 1]}) // the first makes the stream
		},
		Expires: true, Largest: largest,
	})
}

// New rejects a connection that keeps what it cannot send, and settings that are none.
func TestNew(t *testing.T) {
	x := running(t, 1)[0]
	good, err := jetstream.Dial(x.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer good.Close()
	plain, err := nats.Connect(x.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	for want, try := range map[string]func() (jetstream.Table, error){
		"jetstream: the connection is nil": func() (jetstream.Table, error) {
			return jetstream.New(t.Context(), nil, jetstream.Options{})
		},
		"ReconnectBufSize of the connection is 8388608": func() (jetstream.Table, error) { return jetstream.New(t.Context(), plain, jetstream.Options{}) },
		`Stream is "a.b"`: func() (jetstream.Table, error) {
			return jetstream.New(t.Context(), good, jetstream.Options{Stream: "a.b"})
		},
		"Replicas is -1": func() (jetstream.Table, error) {
			return jetstream.New(t.Context(), good, jetstream.Options{Replicas: -1})
		},
		"Timeout is -1ns": func() (jetstream.Table, error) {
			return jetstream.New(t.Context(), good, jetstream.Options{Timeout: -1})
		},
		"stream MCP: ": func() (jetstream.Table, error) {
			return jetstream.New(t.Context(), good, jetstream.Options{Replicas: 3})
		},
	} {
		if _, err := try(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	js, err := natsjs.New(good)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(t.Context(), natsjs.StreamConfig{Name: "OTHER", Subjects: []string{"other.>"}, AllowDirect: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := jetstream.New(t.Context(), good, jetstream.Options{Stream: "OTHER"}); err == nil || !strings.Contains(err.Error(), "other settings") {
		t.Error("a stream that lags behind is taken:", err)
	}
	if _, err := jetstream.Dial("nats://127.0.0.1:1"); err == nil {
		t.Error("a server that is not there is reached")
	}
	for _, urls := range []string{
		"nats://ada:sec%ret@127.0.0.1:1", "nats://ada:sec/ret@127.0.0.1:1", "nats://127.0.0.1:1,nats://ada:1/sec/ret@127.0.0.1:1", "ada:1?sec@127.0.0.1:1",
		"nats://127.0.0.1:1, nats://ada:sec ret@127.0.0.1:1\n",
	} {
		if _, err := jetstream.Dial(urls); err == nil || strings.Contains(err.Error(), "sec") || !strings.Contains(err.Error(), "jetstream: a url cannot be read: want nats://") {
			t.Errorf("%s: %v", urls, err)
		}
	}
}

// Two Tables of one server with other streams share nothing.
func TestStream(t *testing.T) {
	x := running(t, 1)[0]
	a, b := open(t, x.ClientURL(), jetstream.Options{}), open(t, x.ClientURL(), jetstream.Options{Stream: "OTHER"})
	if err := a.Put(t.Context(), "ID", []byte("a"), 1, time.Minute); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Get(t.Context(), "ID"); !errors.Is(err, nethttp.ErrNoSession) {
		t.Error(err)
	}
}

// limited starts a server whose user has the rights alone that docs/cluster.md lists after a text, and returns its url.
func limited(t *testing.T, after string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/cluster.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), after+" publish `")
	publish, rest, _ := strings.Cut(rest, "`, subscribe `")
	subscribe, _, ok := strings.Cut(rest, "` |")
	if line, _, dot := strings.Cut(rest, "`. "); dot && len(line) < len(subscribe) {
		subscribe = line
	}
	if !ok {
		t.Fatal("docs/cluster.md lists no rights")
	}
	split := func(list string) []string { return strings.Split(strings.ReplaceAll(list, "\n", " "), "` `") }
	x := &node{opt: server.Options{
		Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true,
		Users: []*server.User{{Username: "mcp", Password: "secret", Permissions: &server.Permissions{
			Publish: &server.SubjectPermission{Allow: split(publish)}, Subscribe: &server.SubjectPermission{Allow: split(subscribe)},
		}}},
	}}
	if err := x.start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.stop)
	if !x.ReadyForConnections(20 * time.Second) {
		t.Fatal("the server does not start")
	}
	return "nats://mcp:secret@" + x.Addr().String()
}

// The rights that docs/cluster.md lists are enough.
func TestAccess(t *testing.T) {
	url := limited(t, "| rights:")
	tables.Test(t, tables.Store{Table: func(t *testing.T) nethttp.Table { return open(t, url, jetstream.Options{}) }, Largest: largest})
}

// What a server has lost is not taken for what came in its place, although that has the same sequence.
func TestLostMessage(t *testing.T) {
	x := running(t, 1)[0]
	saved := t.TempDir() + "/saved"
	again := func(change func() error) {
		t.Helper()
		x.stop()
		if err := errors.Join(change(), x.start()); err != nil || !x.ReadyForConnections(10*time.Second) {
			t.Fatal(err)
		}
	}
	one := open(t, x.ClientURL(), jetstream.Options{})
	first, err := one.Append(t.Context(), 0, "ID", "", []byte("one"), 1, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	for _, mark := range []string{"", first} { // a whole record, and one that is appended to
		again(func() error { return errors.Join(os.RemoveAll(saved), os.CopyFS(saved, os.DirFS(x.opt.StoreDir))) })
		var marks, data [2]string
		for i, text := range []string{", two", ", TWO"} {
			tab := open(t, x.ClientURL(), jetstream.Options{})
			if marks[i], err = tab.Append(t.Context(), 0, "ID", mark, []byte(text), 2, time.Minute); err != nil {
				t.Fatal(err)
			}
			got, _, _, err := tab.GetSince(t.Context(), "ID", marks[0])
			if data[i] = string(got); err != nil {
				t.Fatal(err)
			}
			again(func() error {
				return errors.Join(os.RemoveAll(x.opt.StoreDir), os.CopyFS(x.opt.StoreDir, os.DirFS(saved)))
			})
		}
		if marks[0] == marks[1] || data[0] != "" || data[1] == "" {
			t.Errorf("what follows %q and %q is %q", marks[0], marks[1], data)
		}
	}
	connected := func() {
		for range 100 {
			if _, err = one.Get(t.Context(), "ID"); err == nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	connected()
	for _, err := range []error{one.Put(t.Context(), "PAD", nil, 1, time.Minute), one.Put(t.Context(), "ID", []byte("lost"), 2, time.Minute)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	again(func() error {
		return errors.Join(os.RemoveAll(x.opt.StoreDir), os.CopyFS(x.opt.StoreDir, os.DirFS(saved)))
	})
	if err := open(t, x.ClientURL(), jetstream.Options{}).Put(t.Context(), "ID", []byte("two"), 2, time.Minute); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the turn, and the same again
		connected()
		err = one.Put(t.Context(), "ID", []byte("three"), 3, time.Minute)
	}
	if data, _ := one.Get(t.Context(), "ID"); string(data) != "three" {
		t.Errorf("%q, %v", data, err)
	}
}
