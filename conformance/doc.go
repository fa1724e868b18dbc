// Package conformance embeds the transcripts that the packages below it run: scripted
// sessions, by topic, in the form that package transcript describes.
package conformance

import "embed"

// Transcripts are the files testdata/TOPIC/NAME.txt.
//
//go:embed testdata/*/*.txt
var Transcripts embed.FS
