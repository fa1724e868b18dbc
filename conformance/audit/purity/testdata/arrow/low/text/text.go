// Package text belongs to the layer low.
package text
