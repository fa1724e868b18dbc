package protocol

// The method of elicitation (elicitation page).
const MethodElicitationCreate = "elicitation/create"

var elicitationRows = []Row{
	{
		Method: MethodElicitationCreate, Receiver: Client, Gate: CapElicitation, Declares: CapElicitation, Send: ready, Serve: ready, Cancellable: true,
		ages: ages{since: age20250618}, Wait: WaitHuman, ResultRule: "ELIC-011", params: checkElicitParams, result: checkElicitResult,
		terms: formTerms, possible: possibleForm, accept: acceptForm, complete: completeForm,
	},
}

// ElicitParams are the params of elicitation/create: the server asks the user.
type ElicitParams struct {
	// Message is the question.
	Message string `json:"message"`
	// RequestedSchema is the form to fill in.
	RequestedSchema ElicitSchema `json:"requestedSchema"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero" mcp:"request"`
}

// ElicitSchema is the form of an elicitation: a flat JSON Schema object. It is
// the type of requestedSchema, which the specification does not name.
type ElicitSchema struct {
	// Properties are the fields, in the order in which they are to be shown.
	Properties []Property
	// Required names the fields that must be filled in.
	Required []string
}

// Property is a named field of an ElicitSchema.
type Property struct {
	// Name is the key of the answer in ElicitResult.Content. Names do not repeat.
	Name string
	// Schema is what the field takes.
	Schema PrimitiveSchema
}

// PrimitiveSchema is the StringSchema, NumberSchema, BooleanSchema or EnumSchema
// of one field, in one struct: Type says which, and a TypeString with a non-nil
// Enum is an EnumSchema. Validate refuses members that do not belong to the
// type; keywords beyond these are ignored on receipt.
type PrimitiveSchema struct {
	// Type is TypeString, TypeNumber, TypeInteger or TypeBoolean.
	Type string `json:"type"`
	// Title is the name of the field for display.
	Title string `json:"title,omitzero"`
	// Description says what to fill in.
	Description string `json:"description,omitzero"`
	// MinLength is the least number of characters (string).
	MinLength *int64 `json:"minLength,omitzero"`
	// MaxLength is the largest number of characters (string).
	MaxLength *int64 `json:"maxLength,omitzero"`
	// Format is what the string must look like (string).
	Format StringFormat `json:"format,omitzero"`
	// Minimum is the least value (number, integer).
	Minimum *float64 `json:"minimum,omitzero"`
	// Maximum is the largest value (number, integer).
	Maximum *float64 `json:"maximum,omitzero"`
	// Default is the value to start from (boolean).
	Default *bool `json:"default,omitzero"`
	// Enum are the values to choose from (enum).
	Enum []string `json:"enum,omitzero"`
	// EnumNames are the names of those values for display, by position (enum).
	EnumNames []string `json:"enumNames,omitzero"`
}

// The types of a PrimitiveSchema.
const (
	TypeString  = "string"
	TypeNumber  = "number"
	TypeInteger = "integer"
	TypeBoolean = "boolean"
)

// StringFormat is the format of a string field.
type StringFormat string

// The formats.
const (
	FormatEmail    StringFormat = "email"
	FormatURI      StringFormat = "uri"
	FormatDate     StringFormat = "date"
	FormatDateTime StringFormat = "date-time"
)

// Valid reports whether f is one of the four formats.
func (f StringFormat) Valid() bool {
	return f == FormatEmail || f == FormatURI || f == FormatDate || f == FormatDateTime
}

// ElicitAction is what the user did.
type ElicitAction string

// The actions.
const (
	// ActionAccept: the user filled in the form and sent it.
	ActionAccept ElicitAction = "accept"
	// ActionDecline: the user said no.
	ActionDecline ElicitAction = "decline"
	// ActionCancel: the user went away without an answer.
	ActionCancel ElicitAction = "cancel"
)

// Valid reports whether a is one of the three actions.
func (a ElicitAction) Valid() bool {
	return a == ActionAccept || a == ActionDecline || a == ActionCancel
}

// ElicitResult is the result of elicitation/create.
type ElicitResult struct {
	// Action is what the user did.
	Action ElicitAction `json:"action"`
	// Content is what was filled in, with ActionAccept: strings, numbers and
	// booleans as JSON text (see StringValue, NumberValue, IntValue, BoolValue).
	// It is sent in the order of the names.
	Content map[string]Raw `json:"content,omitzero" mcp:"primitive"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero"`
}
