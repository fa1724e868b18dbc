package jsonrpc

import "strings"

// large is how long a text has to be to be looked at: a message that is less than half of it is
// copied out of it, so that those that wait somewhere are as large as they look.
const large = 64 << 10

// size returns how many bytes of its text a message has.
func (m *Message) size() int {
	n := len(m.ID.s) + len(m.Method) + len(m.Body)
	if m.Err != nil {
		n += len(m.Err.Message) + len(m.Err.Data)
	}
	return n
}

// apart returns the message with nothing of the text that it was in.
func (m *Message) apart() Message {
	c := *m
	c.ID, c.Method, c.Body = m.ID.Clone(), strings.Clone(m.Method), Raw(strings.Clone(string(m.Body)))
	if m.Err != nil {
		c.Err = &Error{Code: m.Err.Code, Message: strings.Clone(m.Err.Message), Data: Raw(strings.Clone(string(m.Err.Data)))}
	}
	if m.ext != nil { // of a message that is no batch
		c.ext = &ext{id: c.ID, spelling: Raw(strings.Clone(string(m.ext.spelling)))}
	}
	return c
}
