package provider

// The rules of the providers, as data. Sources, read in November 2026:
//
//   - OpenAI, Structured model outputs, "Supported schemas", and Function calling
//     (platform.openai.com/docs/guides); API reference, tools; for what no page says, the texts of
//     its refusals: "array schema missing items", "object schema missing properties", "schema must
//     have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level",
//     "$ref cannot have keywords", "schema must have a 'type' key", "regex lookaround is not
//     supported".
//   - Azure, Structured outputs, "JSON Schema support and limitations", and Function calling
//     (learn.microsoft.com/azure/ai-foundry/openai/how-to).
//   - Anthropic, Structured outputs, "JSON Schema limitations" and "Schema complexity limits", and
//     Define tools (platform.claude.com/docs); the refusals "Property keys should match pattern",
//     "does not support oneOf, allOf, or anyOf at the top level", "must match JSON Schema draft
//     2020-12".
//   - Gemini, Schema and FunctionDeclaration of the API reference (ai.google.dev/api/caching), and
//     of Vertex AI (cloud.google.com/vertex-ai/generative-ai/docs/model-reference), of which the
//     stricter rule holds; the refusals "specified other fields alongside any_of", "didn't specify
//     the schema type field", "only allowed for OBJECT type", "items: missing field".

// dialect is the part of JSON Schema that a provider accepts in one mode.
type dialect struct {
	strict     bool  // enforced on the model: closed objects, a type everywhere
	requireAll bool  // every property is required
	keywords   words // that are accepted; "" means all of 2020-12 and unknown ones
	formats    words // "" means all
	rootless   words // that are refused at the root
	minItems   words // the accepted values of minItems; "" means all
	circles    bool  // references may be circular
	patterns   features
	enum       words // the types of enum values; "" means all
	tool       limits
	names      alphabet // of the properties of the root; "" means all
}

// limits are those of one schema, or of one request. 0 means no limit.
type limits struct {
	levels, properties, values, chars int // chars counts those of names and values together
	longList, longChars               int // an enum of more than longList strings may have longChars in all
	tools, strict, optional, unions   int
}

const (
	composers words = " oneOf anyOf allOf "
	basic     words = " type properties required items enum const anyOf $ref description title additionalProperties "
)

var (
	looseOpenAI = dialect{rootless: " oneOf anyOf allOf enum not const ", circles: true, patterns: lookaround | malformed | foreign}

	strictOpenAI = dialect{
		strict: true, requireAll: true, circles: true, rootless: looseOpenAI.rootless,
		keywords: basic + " pattern format multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems ",
		formats:  " date-time time date duration email hostname ipv4 ipv6 uuid ",
		patterns: lookaround | backreference | boundary | malformed | foreign,
		enum:     " string number integer boolean null ",
		tool:     limits{levels: 10, properties: 5000, values: 1000, chars: 120_000, longList: 250, longChars: 15_000},
	}
	// strictAzure accepts no keywords specific to a type, and has the former limits of OpenAI.
	strictAzure = dialect{
		strict: true, requireAll: true, circles: true, rootless: looseOpenAI.rootless, keywords: basic, enum: strictOpenAI.enum,
		tool: limits{levels: 5, properties: 100, values: 500, chars: 15_000, longList: 250, longChars: 7500},
	}

	looseAnthropic  = dialect{rootless: composers, circles: true, patterns: malformed, names: anthropicKey}
	strictAnthropic = dialect{
		strict: true, rootless: composers, names: anthropicKey,
		keywords: basic + " default pattern format minItems ",
		formats:  " date-time time date duration email hostname uri ipv4 ipv6 uuid ",
		minItems: " 0 1 ", enum: strictOpenAI.enum,
		patterns: lookaround | backreference | boundary | malformed | foreign | counted,
	}

	// declaredGemini is the dialect of parameters; gemini.go has the rest.
	declaredGemini = dialect{names: identifier, patterns: lookaround | backreference | malformed}
	// schemaGemini is the dialect of parametersJsonSchema.
	schemaGemini = dialect{
		keywords: " type title description enum items prefixItems minItems maxItems minimum maximum anyOf oneOf $ref" +
			" properties additionalProperties required format ",
		rootless: composers + "enum not const ", enum: " string number integer ", names: identifier, patterns: lookaround | backreference | malformed,
	}
)

// perRequest are the limits of all tools of one request.
var perRequest = [...]limits{
	OpenAIChat: {tools: 128}, OpenAIResponses: {tools: 128}, Azure: {tools: 128},
	Anthropic: {strict: 20, optional: 24, unions: 16},
	Gemini:    {tools: 128},
}

// rules returns the dialect of a provider.
func (p Provider) rules(o Options) *dialect {
	switch {
	case p == Gemini && o.JSONSchema:
		return &schemaGemini
	case p == Gemini:
		return &declaredGemini
	case p == Anthropic && o.Strict:
		return &strictAnthropic
	case p == Anthropic:
		return &looseAnthropic
	case p == Azure && o.Strict:
		return &strictAzure
	case o.Strict:
		return &strictOpenAI
	}
	return &looseOpenAI
}

// shape is the form of a keyword's value (JSON Schema 2020-12, the meta-schemas).
type shape uint8

const (
	anything shape = iota
	oneSchema
	someSchemas // a list, not empty
	manySchemas // by name
	aText
	aNumber
	aCount
	aTruth
	someNames
	typeNames
	aList
	namesByName
	nothing // no constraint: omitted without a Loss
	never   // no provider accepts it
)

var shapes = map[string]shape{
	"$schema": nothing, "$id": nothing, "id": nothing, "$anchor": nothing, "$dynamicAnchor": nothing, "$recursiveAnchor": nothing,
	"$comment": nothing, "$vocabulary": nothing, "$defs": nothing, "definitions": nothing, // the last two are written when used
	"$recursiveRef": never, "$dynamicRef": never, "$ref": aText, "type": typeNames, "enum": aList, "required": someNames, "properties": manySchemas,
	"patternProperties": manySchemas, "dependentSchemas": manySchemas, "dependentRequired": namesByName,
	"additionalProperties": oneSchema, "propertyNames": oneSchema, "unevaluatedProperties": oneSchema, "unevaluatedItems": oneSchema,
	"items": oneSchema, "contains": oneSchema, "additionalItems": oneSchema, "contentSchema": oneSchema, "not": oneSchema, "if": oneSchema, "then": oneSchema, "else": oneSchema,
	"prefixItems": someSchemas, "allOf": someSchemas, "anyOf": someSchemas, "oneOf": someSchemas,
	"title": aText, "description": aText, "format": aText, "pattern": aText, "contentEncoding": aText, "contentMediaType": aText,
	"minimum": aNumber, "maximum": aNumber, "exclusiveMinimum": aNumber, "exclusiveMaximum": aNumber, "multipleOf": aNumber,
	"minLength": aCount, "maxLength": aCount, "minItems": aCount, "maxItems": aCount, "minContains": aCount, "maxContains": aCount,
	"minProperties": aCount, "maxProperties": aCount,
	"uniqueItems": aTruth, "deprecated": aTruth, "readOnly": aTruth, "writeOnly": aTruth, "examples": aList,
}

// typeOfKeyword is the type that a keyword applies to.
var typeOfKeyword = map[string]string{
	"properties": "object", "required": "object", "additionalProperties": "object", "patternProperties": "object", "propertyNames": "object",
	"minProperties": "object", "maxProperties": "object", "dependentRequired": "object", "dependentSchemas": "object", "unevaluatedProperties": "object",
	"items": "array", "prefixItems": "array", "minItems": "array", "maxItems": "array", "uniqueItems": "array", "contains": "array",
	"minContains": "array", "maxContains": "array", "unevaluatedItems": "array",
	"minLength": "string", "maxLength": "string", "pattern": "string", "format": "string", "contentEncoding": "string", "contentMediaType": "string",
	"minimum": "number", "maximum": "number", "exclusiveMinimum": "number", "exclusiveMaximum": "number", "multipleOf": "number",
}

const (
	annotations words = " title description default examples deprecated readOnly writeOnly "
	jsonTypes   words = " string number integer boolean array object null "
	openers     words = " additionalProperties patternProperties unevaluatedProperties unevaluatedItems propertyNames " // of what has further members
)
