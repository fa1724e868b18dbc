package jetstream_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/sansmcp/mcp/client/oauth/store"
	"github.com/sansmcp/mcp/conformance/tables"
	"github.com/sansmcp/mcp/server/jetstream"
)

func dial(t *testing.T, url string) *nats.Conn {
	t.Helper()
	conn, err := jetstream.Dial(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

// The rights that docs/cluster.md lists are enough.
func TestLogins(t *testing.T) {
	url := limited(t, "Its rights:")
	js, err := natsjs.New(dial(t, url))
	if err != nil {
		t.Fatal(err)
	}
	tables.TestLogins(t, tables.Logins{
		Store: func(t *testing.T, keys ...[]byte) store.Store {
			t.Helper()
			l, err := jetstream.NewLogins(t.Context(), dial(t, url), jetstream.LoginOptions{Keys: keys})
			if err != nil {
				t.Fatal(err)
			}
			return l
		},
		Stored: func(t *testing.T) map[string]string {
			st, err := js.Stream(t.Context(), "MCPLOGINS")
			if err != nil {
				t.Fatal(err)
			}
			info, err := st.Info(t.Context(), natsjs.WithSubjectFilter("mcplogins.r.*"))
			if err != nil {
				t.Fatal(err)
			}
			all := map[string]string{}
			for name := range info.State.Subjects {
				m, err := st.GetLastMsgForSubject(t.Context(), name)
				if err != nil {
					t.Fatal(err)
				}
				if all[name] = string(m.Data); m.Header.Get(natsjs.MsgTTLHeader) != "720h0m0s" && m.Header.Get("X-Test") == "" {
					t.Error("a Record is kept for", m.Header.Get(natsjs.MsgTTLHeader))
				}
			}
			return all
		},
		Overwrite: func(t *testing.T, name, text string) {
			_, err := js.PublishMsg(t.Context(), &nats.Msg{Subject: name, Data: []byte(text), Header: nats.Header{"X-Test": {"1"}}})
			if err != nil {
				t.Fatal(err)
			}
		},
	})
}

// A Record expires, and whoever has read it before does not save over what came in its place.
func TestLoginExpires(t *testing.T) {
	x := running(t, 1)[0]
	opt := jetstream.LoginOptions{Keys: [][]byte{tables.LoginKey(1)}, Keep: time.Second}
	l, err := jetstream.NewLogins(t.Context(), dial(t, x.ClientURL()), opt)
	if err != nil {
		t.Fatal(err)
	}
	v, err := l.Save(t.Context(), "ada", tables.Login("t1"), "")
	if err != nil {
		t.Fatal(err)
	}
	for left := v; left != ""; time.Sleep(50 * time.Millisecond) {
		if _, left, err = l.Load(t.Context(), "ada"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.Save(t.Context(), "ada", tables.Login("t2"), v); !errors.Is(err, store.ErrChanged) {
		t.Error(err)
	}
	if _, err := l.Save(t.Context(), "ada", tables.Login("t3"), ""); err != nil {
		t.Error(err)
	}
}

// NewLogins rejects a connection that sends later, keys that are none, and the stream of a Table.
func TestNewLogins(t *testing.T) {
	x := running(t, 1)[0]
	plain, err := nats.Connect(x.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	key := [][]byte{tables.LoginKey(1)}
	open(t, x.ClientURL(), jetstream.Options{Stream: "SESSIONS"})
	for want, opt := range map[string]jetstream.LoginOptions{
		"jetstream: LoginOptions.Keys is empty": {},
		"has 16 bytes":                          {Keys: [][]byte{key[0], make([]byte, 16)}},
		"jetstream: Keep is":                    {Keys: key, Keep: -1},
		"jetstream: Timeout is":                 {Keys: key, Timeout: -1},
		"jetstream: Replicas is":                {Keys: key, Replicas: -1},
		`jetstream: Stream is "a.b"`:            {Keys: key, Stream: "a.b"},
		"stream SESSIONS: it has other":         {Keys: key, Stream: "SESSIONS"},
	} {
		if l, err := jetstream.NewLogins(t.Context(), dial(t, x.ClientURL()), opt); err == nil || l != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for want, conn := range map[string]*nats.Conn{"the connection is nil": nil, "ReconnectBufSize": plain} {
		if _, err := jetstream.NewLogins(t.Context(), conn, jetstream.LoginOptions{Keys: key}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
