package manager_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client/manager"
)

// What a restored error is by errors.Is, it was when it was written, and nothing else.
func TestRestoredErrorIs(t *testing.T) {
	r := busy(t)
	good := string(r.m.Snapshot())
	was := fmt.Sprintf(`"class":%d,"server":"c"`, manager.ClassTransport)
	if strings.Count(good, was) == 0 {
		t.Fatal(good)
	}
	others := []error{manager.ErrUnknownServer, io.EOF}
	for _, c := range []struct {
		with                string
		silent, unavailable bool
	}{
		{was, false, false},
		{was + `,"silent":true`, true, false},
		{fmt.Sprintf(`"class":%d,"server":"c"`, manager.ClassUnavailable), false, true},
		{fmt.Sprintf(`"class":%d,"server":"c","silent":true`, manager.ClassUnavailable), true, true},
	} {
		m, err := manager.Restore(busyConfig(), []byte(strings.ReplaceAll(good, was, c.with)), r.now, busyOptions)
		if err != nil {
			t.Fatal(c.with, err)
		}
		s, _ := m.Status("c")
		if s.Err == nil {
			t.Fatalf("%s: %+v", c.with, s)
		}
		if errors.Is(s.Err, manager.ErrSilent) != c.silent || errors.Is(s.Err, manager.ErrUnavailable) != c.unavailable {
			t.Errorf("%s: %v", c.with, s.Err)
		}
		for _, other := range others {
			if errors.Is(s.Err, other) {
				t.Errorf("%s: %v is %v", c.with, s.Err, other)
			}
		}
	}
}
