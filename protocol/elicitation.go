package protocol

// The methods of elicitation (elicitation page).
const (
	MethodElicitationCreate   = "elicitation/create"
	MethodElicitationComplete = "notifications/elicitation/complete"
)

var elicitationRows = []Row{
	{
		Method: MethodElicitationCreate, Receiver: Client, Gate: CapElicitation, Declares: CapElicitation, Send: ready, Serve: ready, Cancellable: true,
		ages: ages{since: age20250618}, Wait: WaitHuman, ResultRule: "ELIC-011", params: checkElicitParams, result: checkElicitResult,
		terms: formTerms, possible: possibleForm, accept: acceptForm, complete: completeForm,
	},
	{
		Method: MethodElicitationComplete, Notification: true, Receiver: Client, Send: ready, Serve: ready,
		ages: ages{since: age20251125, until: age20260728}, Requires: CapElicitation | CapElicitationURL, Completes: true,
		params: checkElicitationCompleteParams,
	},
}

// ElicitParams are the params of elicitation/create: the server asks the user, with a form
// or by sending them to a page.
type ElicitParams struct {
	// Mode is ElicitForm or ElicitURL; absent means ElicitForm.
	Mode ElicitMode `json:"mode,omitzero" since:"2025-11-25"`
	// Message is the question.
	Message string `json:"message"`
	// RequestedSchema is the form to fill in (ElicitForm).
	RequestedSchema ElicitSchema `json:"requestedSchema"`
	// URL is the page to open (ElicitURL).
	URL string `json:"url" mcp:"uri" since:"2025-11-25"`
	// ElicitationID names the elicitation in ElicitationCompleteParams (ElicitURL).
	ElicitationID string `json:"elicitationId" mcp:"name" since:"2025-11-25" until:"2026-07-28"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero" mcp:"request"`
}

// ElicitMode is the way in which a user is asked.
type ElicitMode string

// The modes.
const (
	ElicitForm ElicitMode = "form"
	ElicitURL  ElicitMode = "url"
)

// Valid reports whether m is one of the two modes.
func (m ElicitMode) Valid() bool { return m == ElicitForm || m == ElicitURL }

// ElicitationCompleteParams are the params of notifications/elicitation/complete: the
// user is done with a page.
type ElicitationCompleteParams struct {
	// ElicitationID is that of the ElicitParams.
	ElicitationID string `json:"elicitationId" mcp:"name"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero"`
}

// ElicitSchema is the form of an elicitation: a flat JSON Schema object. It is
// the type of requestedSchema, which the specification does not name.
type ElicitSchema struct {
	// Properties are the fields, in the order in which they are to be shown.
	Properties []Property `json:"properties" mcp:"fields"`
	// Required names the fields that must be filled in.
	Required []string
	// Dialect is the $schema of the form, if it has one.
	Dialect string `json:"$schema,omitzero" mcp:"name" since:"2025-11-25"`
}

// Property is a named field of an ElicitSchema.
type Property struct {
	// Name is the key of the answer in ElicitResult.Content. Names do not repeat.
	Name string
	// Schema is what the field takes.
	Schema PrimitiveSchema
}

// PrimitiveSchema is the StringSchema, NumberSchema, BooleanSchema or EnumSchema
// of one field, in one struct: Type says which. A TypeString with a non-nil Enum or
// Choices selects one of them, and a TypeArray selects several. Validate refuses members
// that do not belong to the type; keywords beyond these are ignored on receipt.
type PrimitiveSchema struct {
	// Type is TypeString, TypeNumber, TypeInteger, TypeBoolean or TypeArray.
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
	// Pattern is what the string must match, in a dialect that is not checked against (string).
	Pattern string `json:"pattern,omitzero"`
	// Minimum is the least value (number, integer).
	Minimum *float64 `json:"minimum,omitzero"`
	// Maximum is the largest value (number, integer).
	Maximum *float64 `json:"maximum,omitzero"`
	// Default is the value to start from, as JSON text; DefaultString and its like read it.
	// Before 2025-11-25 only booleans have one.
	Default Raw `json:"default,omitzero"`
	// Enum are the values to choose from (string, array).
	Enum []string `json:"enum,omitzero"`
	// EnumNames are the names of those values for display, by position (string). Choices
	// have taken their place.
	EnumNames []string `json:"enumNames,omitzero"`
	// Choices are the values to choose from, with their titles (string, array). The
	// revisions before 2025-11-25 get them as Enum and EnumNames.
	Choices []Choice `json:"oneOf,omitzero" since:"2025-11-25"`
	// MinItems is the least number of values (array).
	MinItems *int64 `json:"minItems,omitzero"`
	// MaxItems is the largest number of values (array).
	MaxItems *int64 `json:"maxItems,omitzero"`
}

// Choice is a value to choose and what to call it.
type Choice struct {
	// Value is what is sent.
	Value string `json:"const" mcp:"name"`
	// Title is what is shown.
	Title string `json:"title"`
}

// The types of a PrimitiveSchema.
const (
	TypeString  = "string"
	TypeNumber  = "number"
	TypeInteger = "integer"
	TypeBoolean = "boolean"
	TypeArray   = "array" // several strings, since 2025-11-25
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

// Valid reports whether f is one of the four formats (ELIC-006).
func (f StringFormat) Valid() bool {
	return f == FormatEmail || f == FormatURI || f == FormatDate || f == FormatDateTime
}

// ElicitAction is what the user did.
type ElicitAction string

// The actions.
const (
	// ActionAccept: the user filled in the form and sent it, or agreed to open the page. What
	// they do there is over when ElicitationCompleteParams come, if the server sends them.
	ActionAccept ElicitAction = "accept"
	// ActionDecline: the user said no.
	ActionDecline ElicitAction = "decline"
	// ActionCancel: the user went away without an answer.
	ActionCancel ElicitAction = "cancel"
)

// Valid reports whether a is one of the three actions (ELIC-015).
func (a ElicitAction) Valid() bool {
	return a == ActionAccept || a == ActionDecline || a == ActionCancel
}

// ElicitResult is the result of elicitation/create.
type ElicitResult struct {
	// Action is what the user did.
	Action ElicitAction `json:"action"`
	// Content is what was filled in, with ActionAccept: strings, numbers, booleans
	// and, since 2025-11-25, lists of strings as JSON text (see StringValue, NumberValue,
	// IntValue, BoolValue, StringsValue). It is sent in the order of the names (SCHEMA-001,
	// ELIC-012).
	Content map[string]Raw `json:"content,omitzero" mcp:"primitive" arrays:"2025-11-25" odd:"fault"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero"`
}
