package login

import (
	"context"
	"fmt"

	"github.com/sansmcp/mcp/client/oauth"
)

// caught turns a panic of a function of Options into an error; otherwise callers would wait forever for the
// run, or the process would end. Call it by defer.
func caught(name string, err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("login: %s panicked: %v", name, v)
	}
}

func (r *Runner) give(ctx context.Context, a oauth.Ask) (given []byte, err error) {
	defer caught("Give", &err)
	return r.opt.Give(ctx, a)
}

func (r *Runner) shown(ctx context.Context, p oauth.Page) (err error) {
	defer caught("Open", &err)
	return r.opt.Open(ctx, p)
}

func (r *Runner) proof(ctx context.Context, p oauth.Proof) (proof string, err error) {
	defer caught("Proof", &err)
	return r.opt.Proof(ctx, p)
}
