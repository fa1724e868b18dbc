package nethttp_test

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/server/nethttp"
)

// eternal is a lease that no test waits for.
const eternal = time.Hour

// within waits until the response has the text.
func (r *response) within(t *testing.T, text string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end) && !strings.Contains(r.text(), text); {
		time.Sleep(time.Millisecond)
	}
	if !strings.Contains(r.text(), text) {
		t.Fatalf("%s is not there: %d %s", text, r.status(), r.text())
	}
}

func after(id string) func(*bubble, string) *response {
	return func(b *bubble, session string) *response {
		return b.serve("GET", session, "2025-11-25", "", nil, set("Last-Event-ID", id))
	}
}

// A client comes to another process for the call of one whose address refuses connections, or at whose address another
// process answers by now: it is told at once, and not when the lease ends.
func TestLiveness(t *testing.T) {
	for name, successor := range map[string]bool{"it refuses": false, "it is another one": true} {
		t.Run(name, func(t *testing.T) {
			c, k := newCluster(), newKit()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			at := l.Addr().String()
			_ = l.Close()
			way := &line{cluster: c}
			opt := nethttp.Options{Lease: eternal, StreamAfter: -1, Liveness: at}
			a := newShared(t, k, way, opt)
			opt.Liveness = "127.0.0.1:0"
			b := newShared(t, newKit(), &line{cluster: c}, opt)
			session := a.open("2025-11-25")
			r := a.serve("POST", session, "2025-11-25", callOf("gate", `{}`), nil)
			<-k.begun
			r.within(t, "id: ")
			id := r.last()

			// It lives: its call goes on, whoever comes, and its id is taken.
			back := after(id)(b, session)
			again := b.serve("POST", session, "2025-11-25", callOf("echo", `{}`), nil)
			if <-again.done; again.status() != 400 {
				t.Error(again.status(), again.text())
			}
			time.Sleep(100 * time.Millisecond)
			if c.known() != 2 || strings.Contains(back.text(), "process lost") {
				t.Fatal("a process that lives is taken for dead:", back.text())
			}
			back.cut()
			<-back.done

			way.cut.Store(true)
			a.close()
			var next *bubble
			if successor {
				opt.Liveness = at
				next = newShared(t, newKit(), &line{cluster: c}, opt)
			}
			<-b.serve("POST", session, "2025-11-25", callOf("echo", `{}`), nil).done // for its id
			after(id)(b, session).within(t, processLost)
			if next != nil {
				next.close()
			}
			b.close()
		})
	}
}

// Of a process that has died the session is taken over first whose client waits, however long it takes with the others.
func TestWhoWaitsComesFirst(t *testing.T) {
	c, k := newCluster(), newKit()
	opt := nethttp.Options{Lease: eternal, StreamAfter: -1, Liveness: "127.0.0.1:0"}
	way := &line{cluster: c}
	a := newShared(t, k, way, opt)
	slow := &hooked{line: &line{cluster: c}}
	first, told := "", make(chan struct{})
	slow.put = func(id string) error {
		if id != first {
			<-told
		}
		return nil
	}
	var last string
	for range 4 { // of which the store tells in order
		session := a.open("2025-11-25")
		r := a.serve("POST", session, "2025-11-25", callOf("gate", `{}`), nil)
		<-k.begun
		if r.within(t, "id: "); session > first {
			first, last = session, r.last()
		}
	}
	b := newShared(t, newKit(), slow, opt)
	way.cut.Store(true)
	a.close()
	after(last)(b, first).within(t, processLost)
	close(told)
	b.close()
}

// An address that says nothing, or what no process says, means nothing: the lease decides.
func TestSilence(t *testing.T) {
	for name, says := range map[string]string{"nothing": "", "something else": "SSH-2.0-x\r\n", "half": "mcp-process A"} {
		t.Run(name, func(t *testing.T) {
			c, k := newCluster(), newKit()
			way := &line{cluster: c}
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			at := l.Addr().String()
			_ = l.Close()
			opt := nethttp.Options{Lease: eternal, StreamAfter: -1, Liveness: at}
			a := newShared(t, k, way, opt)
			opt.Liveness = "127.0.0.1:0"
			b := newShared(t, newKit(), &line{cluster: c}, opt)
			session := a.open("2025-11-25")
			r := a.serve("POST", session, "2025-11-25", callOf("gate", `{}`), nil)
			<-k.begun
			r.within(t, "id: ")
			way.cut.Store(true)
			a.close()
			if l, err = net.Listen("tcp", at); err != nil {
				t.Fatal(err)
			}
			asked := make(chan struct{}, 100)
			go func() {
				for {
					x, err := l.Accept()
					if err != nil {
						return
					}
					_, _ = x.Write([]byte(says))
					_ = x.Close()
					asked <- struct{}{}
				}
			}()
			back := after(r.last())(b, session)
			for range 4 {
				select {
				case <-asked:
				case <-time.After(10 * time.Second):
					t.Fatal("it is not asked again:", back.text())
				}
			}
			if c.known() != 2 || strings.Contains(back.text(), "process lost") {
				t.Error("it is taken for dead:", back.text())
			}
			back.cut()
			b.close()
			_ = l.Close()
		})
	}
}
