// Package high imports nothing.
package high
