package engine

import "github.com/sansmcp/mcp/protocol"

// The requirement rows that Violation and Ignored events name. Row ids are never
// renamed.
const (
	ruleEnvelope       = "JRPC-002"   // jsonrpc missing or wrong
	ruleNullID         = "JRPC-004"   // id null on a request
	ruleBothMembers    = "JRPC-011"   // result and error in one response
	ruleNoMember       = "JRPC-012"   // neither result nor error
	ruleResultShape    = "JRPC-014"   // result is no object
	ruleErrorShape     = "JRPC-015"   // malformed error object
	ruleNotAnID        = "JRPC-022"   // a notification method with an id
	ruleRequestNoID    = "JRPC-023"   // a request method without an id
	ruleMethodType     = "JRPC-024"   // method is no string
	ruleParamsType     = "JRPC-027"   // params is a scalar
	ruleBatch          = "JRPC-029"   // an array where there are no batches
	ruleStray          = "JRPC-031"   // a response to nothing we sent
	ruleOrphan         = "JRPC-032"   // a response without a usable id
	ruleRepeated       = "JRPC-033"   // a response that came late or twice
	ruleIDInFlight     = "JRPC-034"   // an id that is in flight already
	ruleUnusableID     = "JRPC-037"   // an id that is neither string nor integer
	ruleMixed          = "JRPC-039"   // a method together with result or error
	ruleNotJSON        = "JRPC-042"   // not one JSON text
	ruleNoMessage      = "JRPC-043"   // JSON that is no message
	ruleDoubleMember   = "JRPC-045"   // a repeated envelope member
	ruleTooLarge       = "JRPC-046"   // over the size or depth limit
	ruleParams         = "ERR-005"    // params of the wrong shape or value
	ruleLimit          = "ERR-013"    // a limit was reached
	ruleFirst          = "LIFE-001"   // a request before the handshake
	ruleSecondInit     = "LIFE-015"   // a second initialize
	ruleEarlyToClient  = "LIFE-039"   // a request of the server before the InitializeResult
	ruleStrictInit     = "LIFE-040"   // a request before notifications/initialized, under the strict policy
	ruleOldEpoch       = "LIFE-036"   // a response to a request of an earlier session
	ruleUndeclared     = "CAP-012"    // a request for a feature that was not declared
	ruleDirection      = "CAP-019"    // a request of the wrong direction
	ruleNoteDirection  = "CAP-020"    // a notification of the wrong direction
	ruleNoteCapability = "CAP-021"    // a notification without its capability
	ruleCancelUnknown  = "CANC-010"   // cancellation of an unknown or finished request
	ruleCancelParams   = "CANC-018"   // a malformed cancellation
	ruleProgressParams = "PROG-006"   // malformed progress
	ruleProgressOrder  = "PROG-009"   // progress that does not increase
	ruleProgressToken  = "PROG-021"   // progress for an unknown token
	ruleProgressLate   = "PROG-022"   // progress for a request that has ended
	ruleUnknownNote    = "JRPC-020"   // an unknown notification is not answered
	ruleNotePhase      = "LIFE-043"   // a notification that has no place in this phase
	ruleContentKind    = "SCHEMA-012" // a content block of an unknown kind
)

// resultRules are the rows that a malformed result of each method breaks.
var resultRules = [protocol.MethodCount]string{
	protocol.MethodInitialize:            "LIFE-017",
	protocol.MethodPing:                  "SCHEMA-021",
	protocol.MethodToolsList:             "TOOL-003",
	protocol.MethodToolsCall:             "TOOL-014",
	protocol.MethodResourcesList:         "RES-003",
	protocol.MethodResourceTemplatesList: "RES-010",
	protocol.MethodResourcesRead:         "RES-006",
	protocol.MethodResourcesSubscribe:    "SCHEMA-021",
	protocol.MethodResourcesUnsubscribe:  "SCHEMA-021",
	protocol.MethodPromptsList:           "PROMPT-002",
	protocol.MethodPromptsGet:            "PROMPT-006",
	protocol.MethodCompletionComplete:    "COMPL-007",
	protocol.MethodLoggingSetLevel:       "SCHEMA-021",
	protocol.MethodRootsList:             "ROOT-003",
	protocol.MethodSamplingCreateMessage: "SAMP-008",
	protocol.MethodElicitationCreate:     "ELIC-011",
}

// itemRules are the rows that an odd item of a list breaks.
var itemRules = [protocol.MethodCount]string{
	protocol.MethodToolsList:             "TOOL-004",
	protocol.MethodToolsCall:             "SCHEMA-012",
	protocol.MethodResourcesList:         "RES-004",
	protocol.MethodResourceTemplatesList: "RES-011",
	protocol.MethodPromptsList:           "PROMPT-003",
}
