package redis_test

import (
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/sansmcp/mcp/server/nethttp"
	"github.com/sansmcp/mcp/server/redis"
)

// A server is on another branch once it was started again, and so is a replica that has taken the place of its master.
// What is made for the branch of before is not stored, and nothing is forgotten.
func TestBranch(t *testing.T) {
	master, replica := running(t), running(t)
	at, behind := open(t, master.URL(), redis.Options{}), open(t, replica.URL(), redis.Options{})
	ctx := t.Context()
	const process, id = "PPPPPPPPPPPPPPPPPPPP", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	first, err := at.Branch(ctx)
	if err != nil || first == 0 {
		t.Fatal(first, err)
	}
	if err := errors.Join(at.Join(ctx, process, time.Minute), at.Own(ctx, process, id, 1), at.PutOn(ctx, first, id, []byte("one"), 1, time.Minute)); err != nil {
		t.Fatal(err)
	}
	client, err := redis.Dial(replica.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	host, port, _ := net.SplitHostPort(master.Addr())
	if err := client.Do(ctx, "REPLICAOF", host, port).Err(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		data, err := behind.Get(ctx, id)
		same, e := behind.Branch(ctx)
		if first, _ = at.Branch(ctx); string(data) == "one" && same == first { // it is another one with its first replica
			break
		} else if time.Now().After(end) {
			t.Fatal("the replica has nothing: ", err, e)
		}
	}
	if err := master.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := client.Do(ctx, "REPLICAOF", "NO", "ONE").Err(); err != nil {
		t.Fatal(err)
	}
	second, err := behind.Branch(ctx)
	if err != nil || second == 0 || second == first {
		t.Errorf("the branch is %x, and was %x: %v", second, first, err)
	}
	for what, err := range map[string]error{
		"PutOn":    behind.PutOn(ctx, first, id, []byte("two"), 2, time.Minute),
		"DisownOn": behind.DisownOn(ctx, first, process, id, 1),
		"LeaveOn":  behind.LeaveOn(ctx, first, process),
	} {
		if !errors.Is(err, nethttp.ErrBranch) {
			t.Errorf("%s on the branch of before: %v", what, err)
		}
	}
	if sessions, _, err := behind.Owned(ctx, process, ""); err != nil || fmt.Sprint(sessions) != "["+id+"]" {
		t.Error(sessions, err)
	}
	if err := errors.Join(behind.PutOn(ctx, second, id, []byte("two"), 2, time.Minute), behind.DisownOn(ctx, second, process, id, 1), behind.LeaveOn(ctx, second, process)); err != nil {
		t.Error(err)
	}
	if err := behind.PutOn(ctx, second, id, nil, 2, time.Minute); !errors.Is(err, nethttp.ErrStep) {
		t.Error(err)
	}
	if err := master.Start(); err != nil {
		t.Fatal(err)
	}
	if third, err := at.Branch(ctx); err != nil || third == first {
		t.Errorf("a server that began again is on the branch of before: %v", err)
	}
}
