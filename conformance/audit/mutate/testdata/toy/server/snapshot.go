package server

// Snapshot writes a Note.
func (n Note) Snapshot() (out []string) {
	add := func(name, val string) { out = append(out, name+val) }
	add("text", n.Text)
	add("tags", n.tags[0])
	return out
}
