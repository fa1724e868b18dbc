package server

var ErrInline = errInline
