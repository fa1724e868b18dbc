// Package client is here because the command looks for it.
package client
