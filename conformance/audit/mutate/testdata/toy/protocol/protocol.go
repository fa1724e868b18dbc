// Package protocol is here because the command looks for it.
package protocol
