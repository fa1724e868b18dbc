package protocol

import (
	"maps"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// DefaultString returns the default of a TypeString. ok is false if it has none.
func (v PrimitiveSchema) DefaultString() (s string, ok bool) {
	if !v.presets(TypeString) {
		return "", false
	}
	return rawjson.Unquote(v.preset())
}

// DefaultNumber returns the default of a TypeNumber or TypeInteger. ok is false if it has
// none.
func (v PrimitiveSchema) DefaultNumber() (f float64, ok bool) {
	if !v.presets(TypeNumber) && !v.presets(TypeInteger) {
		return 0, false
	}
	return rawjson.Float(v.preset())
}

// DefaultBool returns the default of a TypeBoolean. ok is false if it has none.
func (v PrimitiveSchema) DefaultBool() (b, ok bool) {
	return v.preset() == "true", v.presets(TypeBoolean)
}

// DefaultStrings returns the default of a TypeArray. ok is false if it has none.
func (v PrimitiveSchema) DefaultStrings() (list []string, ok bool) {
	ok = v.presets(TypeArray) && setStrings(&list, v.preset(), true) == 0
	return list, ok
}

// presets reports whether the schema is of the type and has a default that is a value of it.
func (v PrimitiveSchema) presets(typ string) bool {
	return v.Type == typ && v.Default != "" && v.checkDefault() == 0
}

// checkDefault returns what is wrong with the default as a value of the schema, 0 if nothing
// is or if there is no default.
func (v PrimitiveSchema) checkDefault() Reason {
	switch {
	case v.Default == "":
		return 0
	case !rawjson.Valid(string(v.Default)):
		return ReasonSyntax
	}
	return v.check(v.preset())
}

// preset returns the text of the default without space before it.
func (v PrimitiveSchema) preset() string {
	return string(v.Default[rawjson.Space(string(v.Default), 0):])
}

// Defaults returns the content of a form that the user left unchanged: the
// defaults of its fields, where they are values of their schemas (elicitation, Requested Schema).
func (v ElicitSchema) Defaults() map[string]Raw { return v.Fill(nil) }

// Fill returns content with the defaults of the fields that it lacks (ELIC-129). content
// stays as it is.
func (v ElicitSchema) Fill(content map[string]Raw) map[string]Raw {
	filled := make(map[string]Raw, len(v.Properties))
	for _, p := range v.Properties {
		if p.Schema.Default != "" && p.Schema.checkDefault() == 0 {
			filled[p.Name] = p.Schema.Default
		}
	}
	maps.Copy(filled, content)
	return filled
}

// Accept returns the answer of a user who agrees. Fields of the form that content lacks get
// their defaults (ELIC-129). A field that does not fit the form is a *FieldError, so that the
// user can be asked again. After ElicitURL there is no content. A user who does not agree
// is an ElicitResult with the action alone.
func (v ElicitParams) Accept(content map[string]Raw) (ElicitResult, error) {
	if v.Mode == ElicitURL {
		return ElicitResult{Action: ActionAccept}, nil
	}
	content = v.RequestedSchema.Fill(content)
	if err := v.RequestedSchema.Check(content); err != nil {
		return ElicitResult{}, err
	}
	return ElicitResult{Action: ActionAccept, Content: content}, nil
}
