package protocol

import "cmp"

// What a person is shown is the title, else the name (schema.ts, BaseMetadata; SCHEMA-009).

// DisplayName returns what to call the tool in front of a person: its title, else
// the title in its annotations, else its name (SCHEMA-010).
func (v Tool) DisplayName() string {
	if v.Annotations == nil {
		return cmp.Or(v.Title, v.Name)
	}
	return cmp.Or(v.Title, v.Annotations.Title, v.Name)
}

// DisplayName returns the title, else the name.
func (v Implementation) DisplayName() string { return cmp.Or(v.Title, v.Name) }

// DisplayName returns the title, else the name.
func (v Resource) DisplayName() string { return cmp.Or(v.Title, v.Name) }

// DisplayName returns the title, else the name.
func (v ResourceTemplate) DisplayName() string { return cmp.Or(v.Title, v.Name) }

// DisplayName returns the title, else the name.
func (v Prompt) DisplayName() string { return cmp.Or(v.Title, v.Name) }

// DisplayName returns the title, else the name.
func (v PromptArgument) DisplayName() string { return cmp.Or(v.Title, v.Name) }

// DisplayName returns the title, else the name; for a resource, its uri.
func (v Reference) DisplayName() string { return cmp.Or(v.Title, v.Name, v.URI) }
