package jwt

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

const (
	maxAnswers = 20_000 // of introspection that are kept
	maxAsking  = 100    // requests for introspection at a time
)

// asker asks an issuer about tokens, once for all who have the same one, and keeps what it says.
type asker struct {
	site           *site
	endpoint       string // "" for what the metadata says
	client, secret string
	keep           time.Duration

	mu sync.Mutex
	// Answers are found in both; all are put into young. When it is full, it becomes old, and what
	// was old is forgotten.
	young, old map[[sha256.Size]byte]*answer
	asking     int
}

// answer is what an issuer says of a token, once done is closed.
type answer struct {
	done   chan struct{}
	claims Claims
	err    error
	until  time.Time

	waiting int                // who wait for it
	stop    context.CancelFunc // ends the request
}

// ask returns what the issuer says of a token that is active.
func (a *asker) ask(ctx context.Context, token string) (Claims, error) {
	key := sha256.Sum256([]byte(token))
	got, err := a.answer(ctx, key, token)
	if err != nil {
		return nil, unavailable(err)
	}
	select {
	case <-got.done:
		return got.claims, got.err
	case <-ctx.Done():
		a.leave(key, got)
		return nil, unavailable(ctx.Err())
	}
}

// leave ends the request of the last one who waits for it: who comes and goes holds no place for longer.
func (a *asker) leave(key [sha256.Size]byte, got *answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if got.waiting--; got.waiting > 0 {
		return
	}
	got.stop()
	for _, kept := range [...]map[[sha256.Size]byte]*answer{a.young, a.old} {
		if kept[key] == got {
			delete(kept, key)
		}
	}
}

// answer returns the answer for a token, which is on its way if it was not there. The request goes
// on if the one who first wanted it leaves, as long as others wait for it.
func (a *asker) answer(ctx context.Context, key [sha256.Size]byte, token string) (*answer, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, kept := range [...]map[[sha256.Size]byte]*answer{a.young, a.old} {
		if got := kept[key]; got != nil && !got.over(time.Now()) {
			got.waiting++
			return got, nil
		}
	}
	if a.asking == maxAsking {
		return nil, errors.New("jwt: issuer " + a.site.issuer + ": too many requests for introspection under way")
	}
	if a.young == nil || len(a.young) >= maxAnswers/2 {
		a.young, a.old = map[[sha256.Size]byte]*answer{}, a.young
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	got := &answer{done: make(chan struct{}), waiting: 1, stop: stop}
	a.young[key] = got
	a.asking++
	go func() {
		defer stop()
		got.claims, got.err = a.request(ctx, token)
		got.until = time.Now().Add(max(a.keep, 0))
		if isUnavailable(got.err) {
			got.until = time.Time{}
		}
		close(got.done)
		a.mu.Lock()
		a.asking--
		a.mu.Unlock()
	}()
	return got, nil
}

// over reports whether an answer is there and no longer holds.
func (g *answer) over(now time.Time) bool {
	select {
	case <-g.done:
		return !now.Before(g.until)
	default:
		return false
	}
}

// request asks the issuer.
func (a *asker) request(ctx context.Context, token string) (Claims, error) {
	endpoint := a.endpoint
	if endpoint == "" {
		doc, err := a.site.metadata(context.WithoutCancel(ctx)) // which is for all
		if err == nil {
			endpoint, err = a.site.endpoint("introspection_endpoint", doc.Introspection)
		}
		if err != nil {
			return nil, unavailable(err)
		}
	}
	form := url.Values{"token": {token}, "token_type_hint": {"access_token"}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, unavailable(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "application/json")
	if a.client != "" {
		r.SetBasicAuth(url.QueryEscape(a.client), url.QueryEscape(a.secret))
	}
	status, body, err := a.site.do(r)
	if err != nil {
		return nil, unavailable(err)
	}
	var claims Claims
	var active bool
	if status != http.StatusOK || json.Unmarshal(body, &claims) != nil || json.Unmarshal(claims["active"], &active) != nil {
		return nil, unavailable(fmt.Errorf("jwt: issuer %s: introspection: status %d", a.site.issuer, status))
	}
	if use := claims.text("token_use"); !active || use != "" && use != "access_token" {
		return nil, refused("the token is not active", nil)
	}
	return claims, nil
}
