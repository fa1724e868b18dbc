package main

import (
	"context"
	"errors"
	"time"

	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/protocol"
)

// listens reports whether changes are asked for by requests that stay open.
func (s *driven) listens() bool { return s.State().Revision().Stateless() }

// listen asks for what the filter names, and returns once the server has taken it. stop ends it.
func (s *driven) listen(filter protocol.SubscriptionFilter) (stop func(), err error) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		_, err := s.Client.Request(ctx, protocol.ListenParams{Notifications: filter}, session.RequestOptions{})
		ended <- err
	}()
	select {
	case <-s.taken:
		return func() { cancel(); <-ended }, nil
	case err = <-ended:
	case <-time.After(10 * time.Second):
		err = errors.New("a subscription is not acknowledged")
	}
	cancel()
	return nil, err
}

// listenTo changes what is asked for of resources, "" for none.
func (s *driven) listenTo(uri string) (err error) {
	if s.stop != nil {
		s.stop()
		s.stop = nil
	}
	if uri != "" {
		s.stop, err = s.listen(protocol.SubscriptionFilter{ResourceSubscriptions: []string{uri}})
	}
	return err
}
