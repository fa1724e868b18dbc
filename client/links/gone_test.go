package links_test

import (
	"errors"
	"testing"

	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/lifecycle"
)

// The error of a session that is gone says why, and is both: that it is gone, and why.
func TestSessionGone(t *testing.T) {
	why := errors.New("404")
	err := error(&links.SessionGone{Err: why})
	if !errors.Is(err, links.ErrSessionGone) || !errors.Is(err, why) || err.Error() != "links: the server has ended the session: 404" {
		t.Error(err)
	}
	var d interface{ Delivery() lifecycle.Delivery }
	if !errors.As(err, &d) || d.Delivery() != lifecycle.Rejected {
		t.Error(err)
	}
}
