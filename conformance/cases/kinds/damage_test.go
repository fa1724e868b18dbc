package kinds_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// span is a member of an object or an element of a list: its position in the text, and
// that of its value.
type span struct{ from, value, to int }

// spans returns every member and element of a JSON text, at every depth.
func spans(text string) (list []span) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	skip := func() int {
		at := int(d.InputOffset())
		return at + len(text[at:]) - len(strings.TrimLeft(text[at:], ",: "))
	}
	var walk func()
	walk = func() {
		start, err := d.Token()
		if err != nil {
			panic(err)
		}
		if start != json.Delim('{') && start != json.Delim('[') {
			return
		}
		for d.More() {
			s := span{from: skip()}
			if start == json.Delim('{') {
				if _, err := d.Token(); err != nil {
					panic(err)
				}
			}
			s.value = skip()
			walk()
			s.to = int(d.InputOffset())
			list = append(list, s)
		}
		if _, err := d.Token(); err != nil {
			panic(err)
		}
	}
	walk()
	return list
}

// damages returns a text with one member or element deleted, repeated, or with another value.
func damages(text string, s span) (list []string) {
	before, whole, after := text[:s.from], text[s.from:s.to], text[s.to:]
	if rest, ok := strings.CutPrefix(after, ","); ok {
		list = append(list, before+rest)
	} else {
		list = append(list, strings.TrimSuffix(before, ",")+after)
	}
	list = append(list, before+whole+","+whole+after)
	for _, v := range []string{
		`null`, `true`, `"x"`, `""`, `{}`, `[]`, `[[]]`, `[{}]`, `{"a":1}`, `0`, `1`, `-1`, `1.5`, `1e400`,
		`9223372036854775807`, `-9223372036854775808`, `18446744073709551615`, `99999999999999999999999`,
	} {
		list = append(list, text[:s.value]+v+after)
	}
	return list
}

// restorable is a thing in use whose machine has a snapshot, and its Restore.
type restorable struct {
	of      thing
	restore func(data []byte, now time.Time) (thing, error)
}

func restorables(t *testing.T) map[string]restorable {
	x, streamed := fullStreams()
	return map[string]restorable{
		"server.State": {thing{fullServer(t)}, func(data []byte, now time.Time) (thing, error) {
			s, err := server.Restore(serverConfig(), data, now)
			return thing{s}, err
		}},
		"client.State": {thing{fullClient(t)}, func(data []byte, now time.Time) (thing, error) {
			s, err := client.Restore(clientConfig(), data, now)
			return thing{s}, err
		}},
		"streams.Streams": {thing{x, streamed}, func(data []byte, now time.Time) (thing, error) {
			_, s := fullStreams()
			x, err := streams.Restore(streamsOptions, data, s, now)
			return thing{x, s}, err
		}},
		"manager.Manager": {thing{fullManager(t)}, func(data []byte, now time.Time) (thing, error) {
			m, err := manager.Restore(managerConfig(), data, now, func(name string) (manager.Options, bool) { return endpoint(name), true })
			return thing{m}, err
		}},
		"catalog.Catalog": {catalogRow(t).of, func(data []byte, now time.Time) (thing, error) {
			m := catalogRow(t).of[1].(manager.Manager)
			c, err := catalog.Restore(catalogConfig(), m, data, now)
			return thing{c, m}, err
		}},
		"client.Pager": {thing{pagedUsed(t)}, func(data []byte, _ time.Time) (thing, error) {
			x := pagedUsed(t)
			var err error
			x.p, err = client.RestorePager(x.s, data)
			return thing{x}, err
		}},
		"relay.Relay": {relayRow(t).of, func(data []byte, now time.Time) (thing, error) {
			_, s, _, _ := relayed(now)
			r, err := relay.Restore(relayConfig(), relayServers(), data, s, now)
			return thing{r, s}, err
		}},
	}
}

// Restore refuses a damaged snapshot with ErrSnapshot, or the value is
// sound: its invariants hold as time passes, and its own snapshot restores to
// an equal one.
func TestDamagedSnapshots(t *testing.T) {
	for name, row := range restorables(t) {
		t.Run(name, func(t *testing.T) {
			now := serverRow(t).now
			text := string(row.of[0].(interface{ Snapshot() []byte }).Snapshot())
			good, bad := 0, 0
			try := func(data string) {
				defer func() {
					if p := recover(); p != nil {
						t.Errorf("panic: %v\n%s", p, data)
					}
				}()
				v, err := row.restore([]byte(data), now)
				if err != nil {
					if bad++; !errors.Is(err, lifecycle.ErrSnapshot) || len(err.Error()) > 300 || strings.Contains(err.Error(), "\n") {
						t.Errorf("%v\n%s", err, data)
					}
					return
				}
				good++
				if err := sound(v, now, row.restore); err != nil {
					t.Errorf("%v\n%s", err, data)
				}
			}
			if v, err := row.restore([]byte(text), now); err != nil {
				t.Fatalf("not damaged: %v\n%s", err, text)
			} else if again := v[0].(interface{ Snapshot() []byte }).Snapshot(); string(again) != text {
				t.Errorf("not damaged:\n%s\nbecomes\n%s", text, again)
			}
			list := spans(text)
			if len(list) < 13 {
				t.Fatalf("%d members in %s", len(list), text)
			}
			for _, s := range list {
				for _, data := range damages(text, s) {
					try(data)
				}
			}
			t.Logf("%d members; %d restored, %d refused", len(list), good, bad)
			if good < 10 || bad < 10 {
				t.Errorf("%d restored, %d refused", good, bad)
			}
		})
	}
}

// sound returns what is wrong with a restored thing.
func sound(v thing, now time.Time, restore func([]byte, time.Time) (thing, error)) error {
	check := func() error {
		if r, ok := v[0].(relay.Relay); ok {
			return r.Check(v[1].(server.State))
		}
		return check(v)
	}
	if err := check(); err != nil {
		return err
	}
	own := v[0].(interface{ Snapshot() []byte }).Snapshot()
	again, err := restore(own, now)
	if err != nil {
		return err
	}
	if text := again[0].(interface{ Snapshot() []byte }).Snapshot(); !bytes.Equal(text, own) {
		return errors.New("its own snapshot " + string(own) + " becomes " + string(text))
	}
	for range 4 {
		var err error
		if v, _, err = call(v, "Tick", now, nil); err != nil {
			return err
		}
		if err := check(); err != nil {
			return err
		}
		due := got(v[0])
		if len(due) == 0 {
			break
		}
		if !due[0].After(now) {
			return errors.New("after a tick at " + now.String() + " the next deadline is " + due[0].String())
		}
		now = due[0]
	}
	return nil
}
