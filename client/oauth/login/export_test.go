package login

import (
	"net/url"
	"time"
)

// Waiting returns how many requests wait for the run that is under way.
func (r *Runner) Waiting() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now == nil {
		return 0
	}
	return r.now.waiting
}

// Redirect returns the address that the redirect goes to.
func (r *Runner) Redirect() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	u, err := url.Parse(r.config.Redirect)
	if err != nil {
		return ""
	}
	return u.Host
}

// SetFormTime sets how long a form may take, before anybody sends one.
func (p *Pages) SetFormTime(d time.Duration) { p.forms = d }

// ErrState is errState.
var ErrState = errState

// Page is link.
func (p *Pages) Page(server string) string { return p.link(server) }
