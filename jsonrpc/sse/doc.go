// Package sse is the text/event-stream format: server-sent events as bytes.
package sse
