// Package server has something for each kind of mutant.
package server

import (
	"errors"

	"toy/lifecycle"
)

const limit = 3

// Server counts.
type Server struct {
	open, seen int
	cache      map[string]int
}

func refuse(o *lifecycle.Output, why string) { o.Send = append(o.Send, "no: "+why) }

// Receive answers a message.
func (s *Server) Receive(m string, o *lifecycle.Output) {
	s.seen++
	switch {
	case m == "":
		refuse(o, "empty")
		return
	case s.open >= limit || len(m) > 9:
		refuse(o, "too much")
		return
	}
	if s.cache == nil {
		s.cache = map[string]int{}
	}
	s.cache[m] = len(m)
	s.open++
	o.Send = append(o.Send, m)
	if m == "bye" {
		o.Closed = true
	}
}

// Check returns an error for a Server that is full.
func (s *Server) Check() error {
	if s.open >= limit {
		return errors.New("full")
	}
	return nil
}

// Sum adds up what comes first.
func Sum(list []int, most int) (sum int, all bool) {
	for i, n := range list {
		if i == most {
			return sum, false
		}
		sum += n
	}
	return sum, true
}

// Less compares.
func Less(a, b int) bool { return a < b }

// First returns the first half.
func First(s string) string { return s[:len(s)/2] }
