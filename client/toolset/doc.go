// Package toolset is the catalogue of the tools that a host has: local ones and those of many
// servers, under one set of names.
package toolset
