package redis_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/sansmcp/mcp/conformance/tables"
	"github.com/sansmcp/mcp/server/nethttp"
	"github.com/sansmcp/mcp/server/redis"
)

// largest is the greatest record of the tests.
const largest = 1 << 20

func running(t *testing.T) *tables.Redis {
	t.Helper()
	r, err := tables.NewRedis(t.TempDir())
	if errors.Is(err, tables.ErrNoRedis) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Stop() })
	return r
}

func open(t *testing.T, url string, opt redis.Options) redis.Table {
	t.Helper()
	client, err := redis.Dial(url)
	if err != nil {
		t.Fatal(err)
	}
	tab, err := redis.New(client, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(tab.Close(), client.Close()); err != nil {
			t.Error(err)
		}
	})
	return tab
}

// A Table passes the tests of all Tables on a server that is killed and started again.
func TestTable(t *testing.T) {
	r := running(t)
	tables.Test(t, tables.Store{
		Table:   func(t *testing.T) nethttp.Table { return open(t, r.URL(), redis.Options{MaxRecord: largest}) },
		Expires: true, Largest: largest,
		Stop: func(t *testing.T) {
			if err := r.Stop(); err != nil {
				t.Fatal(err)
			}
		},
		Start: func(t *testing.T) {
			if err := r.Start(); err != nil {
				t.Fatal(err)
			}
		},
	})
}

// New rejects a client that makes commands again or waits without end, and settings that are none.
func TestNew(t *testing.T) {
	const at = "redis://127.0.0.1:1"
	good, err := redis.Dial(at)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := goredis.ParseURL(at)
	if err != nil {
		t.Fatal(err)
	}
	patient := *plain
	patient.MaxRetries = -1
	for want, try := range map[string]func() (redis.Table, error){
		"redis: the client is nil":      func() (redis.Table, error) { return redis.New(nil, redis.Options{}) },
		"MaxRetries of the client is 3": func() (redis.Table, error) { return redis.New(goredis.NewClient(plain), redis.Options{}) },
		"ContextTimeoutEnabled":         func() (redis.Table, error) { return redis.New(goredis.NewClient(&patient), redis.Options{}) },
		"redis: MaxRecord is -1":        func() (redis.Table, error) { return redis.New(good, redis.Options{MaxRecord: -1}) },
		"redis: Timeout is -1ns":        func() (redis.Table, error) { return redis.New(good, redis.Options{Timeout: -1}) },
	} {
		if _, err := try(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for _, url := range []string{
		"http://x", "redis://ada:sec%ret@x", "redis://ada:sec/ret@x/0", "redis://ada:1/sec/ret@x/0", "redis://ada:1?sec?ret@x",
		"redis://ada:sec ret@x\n", "rediss://x/sec", "redis://x?max_retries=sec",
	} {
		if _, err := redis.Dial(url); err == nil || strings.Contains(err.Error(), "sec") || !strings.HasPrefix(err.Error(), "redis: the url cannot be read: want redis://") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// Two Tables of one server with other prefixes share nothing, and a row that is none is an error.
func TestPrefix(t *testing.T) {
	r := running(t)
	a, b := open(t, r.URL(), redis.Options{}), open(t, r.URL(), redis.Options{Prefix: "other:"})
	if err := a.Put(t.Context(), "ID", []byte("a"), 1, time.Minute); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Get(t.Context(), "ID"); !errors.Is(err, nethttp.ErrNoSession) {
		t.Error(err)
	}
	client, err := redis.Dial(r.URL())
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Set(t.Context(), "other:{ID}", "short", 0).Err(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Get(t.Context(), "ID"); err == nil || errors.Is(err, nethttp.ErrNoSession) {
		t.Error(err)
	}
}

// The rights that docs/cluster.md lists are enough, and a program that may not publish loses time alone.
func TestAccess(t *testing.T) {
	r := running(t)
	page, err := os.ReadFile("../../docs/cluster.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "| ACL `")
	rights, _, ok := strings.Cut(rest, "`")
	if !ok {
		t.Fatal("docs/cluster.md lists no rights")
	}
	admin, err := redis.Dial(r.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	for user, rules := range map[string]string{
		"all": rights, "mute": strings.ReplaceAll(rights, "+publish", ""), "append": strings.ReplaceAll(rights, "+append", ""),
		"setrange": strings.ReplaceAll(rights, "+setrange", ""), "pexpire": strings.ReplaceAll(rights, "+pexpire", ""),
	} {
		args := []any{"ACL", "SETUSER", user, "on", ">secret", "resetchannels"}
		for _, rule := range strings.Fields(rules) {
			args = append(args, rule)
		}
		if err := admin.Do(t.Context(), args...).Err(); err != nil {
			t.Fatal(err)
		}
	}
	as := func(user string) string { return "redis://" + user + ":secret@" + r.Addr() }
	t.Run("all", func(t *testing.T) {
		tables.Test(t, tables.Store{Table: func(t *testing.T) nethttp.Table { return open(t, as("all"), redis.Options{}) }})
	})
	for _, lacks := range []string{"append", "setrange", "pexpire"} {
		tab := open(t, as(lacks), redis.Options{})
		id := strings.ToUpper(lacks)
		mark, err := tab.Append(t.Context(), 0, id, "", []byte("one"), 1, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := tab.Append(t.Context(), 0, id, mark, []byte("two"), 2, time.Minute); !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("who may not %s: %v", lacks, err)
			}
		}
		if data, err := tab.Get(t.Context(), id); string(data) != "one" {
			t.Errorf("who may not %s: %q, %v", lacks, data, err)
		}
		if err := tab.Put(t.Context(), id, []byte("two"), 2, time.Minute); err != nil {
			t.Errorf("who may not %s: the next whole record: %v", lacks, err)
		}
	}
	mute := open(t, as("mute"), redis.Options{})
	if err := mute.Put(t.Context(), "ID", nil, 1, time.Minute); err != nil {
		t.Fatal(err)
	}
	woken := make(chan error, 1)
	go func() { woken <- mute.Wait(t.Context(), "ID", 1) }()
	time.Sleep(100 * time.Millisecond)
	if err := mute.Put(t.Context(), "ID", nil, 2, time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := <-woken; err != nil {
		t.Error(err)
	}
}

// A server that is full refuses what is appended and changes nothing. Once it has room something is appended again.
func TestFull(t *testing.T) {
	r := running(t)
	tab := open(t, r.URL(), redis.Options{})
	admin, err := redis.Dial(r.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	mark, err := tab.Append(t.Context(), 0, "ID", "", []byte("one"), 1, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	for _, full := range []string{"1", "0"} {
		if err := admin.ConfigSet(t.Context(), "maxmemory", full).Err(); err != nil {
			t.Fatal(err)
		}
		_, err := tab.Append(t.Context(), 0, "ID", mark, []byte(", two"), 2, time.Minute)
		want := "one"
		if full == "0" {
			want = "one, two"
		}
		if (err != nil) != (full == "1") || errors.Is(err, errors.ErrUnsupported) || errors.Is(err, nethttp.ErrStep) {
			t.Errorf("with maxmemory %s: %v", full, err)
		}
		if data, err := tab.Get(t.Context(), "ID"); string(data) != want {
			t.Errorf("with maxmemory %s: %q, %v, want %q", full, data, err, want)
		}
	}
}
