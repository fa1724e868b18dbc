//go:build unix

package main

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// A reload costs no server that is still there its process: not one whose entry is wrong by now,
// which keeps its former definition, and not one whose filter alone has changed. What is not as the
// file has it is in the log and in the status. With -strict a wrong entry keeps all as it was.
func TestReloadKeepsServers(t *testing.T) {
	wrong := `"two": {"env": {}}`
	for _, strict := range []bool{false, true} {
		path := file(t, "", entry(t, "one"), entry(t, "two"), entry(t, "off", "disabled", true))
		args := []string{"-check", "20ms", path}
		if strict {
			args = append([]string{"-strict"}, args...)
		}
		r := run(t, args...)
		p := open(t, r.url)
		p.await("one", "two")
		one, two := p.pid("one"), p.pid("two")
		if got := r.status(); !strings.Contains(got, "\nserver off: disabled\n") {
			t.Error(got)
		}

		file(t, path, entry(t, "one", "disabledTools", []string{"one-hang"}), wrong, `"new": {}`, entry(t, "three"))
		if strict {
			r.says("2 entries are refused, and -strict is set")
			if got := r.status(); p.pid("two") != two || strings.Contains(got, "three") || !strings.Contains(got, ": disabled\n") {
				t.Error(got)
			}
			receive(t, p.begin("one-hang"))
		} else {
			r.says("servers=3 new=1 changed=1 gone=0")
			p.await("one", "two", "three")
			if text := p.fault("one-hang"); !strings.Contains(text, "nknown tool") {
				t.Error(text)
			}
			r.says(`faulty entry; server keeps its former definition" server=two`)
			got := r.status()
			for _, want := range []string{
				"\nserver one: 1 ready\nserver two: 1 ready\nserver three: 1 ready\n", "\nserver two: faulty entry, keeps its former definition: ",
				"\nserver new: left out: ", `server "new": it has neither command nor url`,
			} {
				if !strings.Contains(got, want) {
					t.Errorf("it lacks %q:\n%s", want, got)
				}
			}
			if strings.Contains(got, ": disabled") {
				t.Error(got)
			}
		}
		if p.pid("one") != one || p.pid("two") != two {
			t.Errorf("strict %v: %d and %d were %d and %d", strict, p.pid("one"), p.pid("two"), one, two)
		}

		file(t, path, entry(t, "one"))
		r.says("gone=")
		p.await("one")
		if got := r.status(); p.pid("one") != one || strings.Contains(got, "server two") {
			t.Error(got)
		}
		if err := r.end(); err != nil {
			t.Error(err)
		}
	}
}

// status is the page of that name.
func (r *running) status() string {
	r.t.Helper()
	resp, err := http.Get(r.url + "/status")
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(text)
}
