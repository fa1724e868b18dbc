package remote

import (
	"context"
	"errors"

	"github.com/sansmcp/mcp/protocol/headers"
)

var errToken = errors.New("remote: Options.Token returned a token that no header carries; want it alone, without Bearer")

// tokens are what Options.Token returned last.
type tokens struct {
	ask  func(context.Context, headers.Challenge) (string, error)
	safe bool          // it may go out
	turn chan struct{} // who looks at the rest, or asks, has put something in

	asked bool
	last  string
}

// get returns the token to use. used is the one that was refused with the Challenge c; if it
// has been replaced meanwhile, nobody is asked. The first time there is neither.
func (k *tokens) get(ctx context.Context, refused bool, used string, c headers.Challenge) (string, error) {
	if k.ask == nil {
		return "", nil
	}
	select {
	case k.turn <- struct{}{}:
		defer func() { <-k.turn }()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	if k.asked && (!refused || k.last != used) {
		return k.last, nil
	}
	if refused && c == (headers.Challenge{}) {
		c.Error = "invalid_token" // so that it is not taken for the first question
	}
	token, err := k.ask(ctx, c)
	if err != nil {
		return "", err
	}
	if token != "" && !k.safe {
		return "", ErrInsecure
	}
	if _, ok := headers.Bearer("Bearer " + token); token != "" && !ok {
		return "", errToken
	}
	k.asked, k.last = true, token
	return token, nil
}
