package streams_test

import (
	"strings"
	"testing"

	"github.com/sansmcp/mcp/server/streams"
)

func TestPostIsAnsweredAtOnce(t *testing.T) {
	d := open(t, "2025-11-25", streams.Options{})
	r := d.post(callText(1, "now"))
	if r.Status != 200 || !strings.Contains(string(r.Body), `"id":1`) || d.x.Bytes() != 0 {
		t.Errorf("%+v, %d bytes", r, d.x.Bytes())
	}
}

func TestPostWithProgressThenAnswer(t *testing.T) {
	d := open(t, "2025-11-25", streams.Options{})
	call, c := d.call(1, "wait")
	d.begin(c)
	d.expect(c, 0, "1-1:prime open")
	d.progress(call, 1)
	d.expect(c, 1, "1-2:progress1 open")
	d.wrote(c, 2)
	d.detach(c)
	d.respond(call, "x")
	r, n, err := d.resume("1-2")
	if err != nil || n != 2 {
		t.Fatal(n, err)
	}
	d.expect(r, n, "1-3:answer1 ended")
	d.expect(c, 2, "replaced")
	d.wrote(r, 3)
	d.detach(r)
	d.pass(streams.DefaultKeep)
	if d.x.Bytes() != 0 || d.eff.Lost != 0 {
		t.Errorf("%d bytes", d.x.Bytes())
	}
	if _, _, err := d.resume("1-2"); err != streams.ErrDropped {
		t.Error(err)
	}
}
