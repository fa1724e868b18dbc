package protocol

import (
	"strings"
)

// MethodSamplingCreateMessage is the method of sampling (sampling page).
const MethodSamplingCreateMessage = "sampling/createMessage"

var samplingRows = []Row{
	{
		Method: MethodSamplingCreateMessage, Receiver: Client, Gate: CapSampling, Declares: CapSampling, Send: ready, Serve: ready, Cancellable: true,
		Wait: WaitHuman, ResultRule: "SAMP-008", params: checkCreateMessageParams, result: checkCreateMessageResult,
		terms: samplingTerms, possible: possibleSampling, accept: acceptSample, complete: completeSample,
	},
}

// CreateMessageParams are the params of sampling/createMessage: the server asks
// the client's model. The client decides about everything in it.
type CreateMessageParams struct {
	// Messages is the conversation so far.
	Messages []SamplingMessage `json:"messages"`
	// MaxTokens is the largest number of tokens to generate.
	MaxTokens int64 `json:"maxTokens"`
	// ModelPreferences help to choose a model.
	ModelPreferences *ModelPreferences `json:"modelPreferences,omitzero"`
	// SystemPrompt is the system prompt to use.
	SystemPrompt string `json:"systemPrompt,omitzero"`
	// IncludeContext asks for context from MCP servers to be added.
	IncludeContext IncludeContext `json:"includeContext,omitzero"`
	// Temperature is the sampling temperature.
	Temperature *float64 `json:"temperature,omitzero"`
	// StopSequences end the generation where they occur.
	StopSequences []string `json:"stopSequences,omitzero"`
	// Metadata is an object for the provider of the model.
	Metadata Raw `json:"metadata,omitzero" mcp:"object"`
	// Tools are what the model may use; they need not be tools of the server.
	Tools []Tool `json:"tools,omitzero" since:"2025-11-25"`
	// ToolChoice says whether the model has to use them.
	ToolChoice *ToolChoice `json:"toolChoice,omitzero" since:"2025-11-25"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero" mcp:"request"`
}

// IncludeContext says from which servers context is to be added to a sampling
// request.
type IncludeContext string

// The values of IncludeContext.
const (
	IncludeNone       IncludeContext = "none"
	IncludeThisServer IncludeContext = "thisServer"
	IncludeAllServers IncludeContext = "allServers"
)

// Valid reports whether c is one of the three values (SAMP-006).
func (c IncludeContext) Valid() bool {
	return c == IncludeNone || c == IncludeThisServer || c == IncludeAllServers
}

// ToolChoice says how a model uses tools.
type ToolChoice struct {
	// Mode is how; absent means ToolChoiceAuto.
	Mode ToolChoiceMode `json:"mode,omitzero"`
}

// ToolChoiceMode is how a model uses tools.
type ToolChoiceMode string

// The modes.
const (
	// ToolChoiceAuto: the model decides.
	ToolChoiceAuto ToolChoiceMode = "auto"
	// ToolChoiceRequired: it has to use some tool.
	ToolChoiceRequired ToolChoiceMode = "required"
	// ToolChoiceNone: it must not use any.
	ToolChoiceNone ToolChoiceMode = "none"
)

// Valid reports whether m is one of the three modes.
func (m ToolChoiceMode) Valid() bool {
	return m == ToolChoiceAuto || m == ToolChoiceRequired || m == ToolChoiceNone
}

// SamplingMessage is one message of the conversation to continue.
type SamplingMessage struct {
	// Role is who said it.
	Role Role `json:"role"`
	// Content is what was said: text, images, sounds, and tools used and their results.
	// One block is sent without brackets; before 2025-11-25 there is exactly one.
	Content []Content `json:"content" mcp:"one,sampling" arrays:"2025-11-25"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero" since:"2025-11-25"`
}

// ModelPreferences tell which model would suit the server. The three priorities
// go from 0 (not important) to 1 (most important; SAMP-007).
type ModelPreferences struct {
	// Hints name models, best first.
	Hints []ModelHint `json:"hints,omitzero"`
	// CostPriority is how much a low price matters.
	CostPriority *float64 `json:"costPriority,omitzero" mcp:"min=0,max=1"`
	// SpeedPriority is how much speed matters.
	SpeedPriority *float64 `json:"speedPriority,omitzero" mcp:"min=0,max=1"`
	// IntelligencePriority is how much the abilities of the model matter.
	IntelligencePriority *float64 `json:"intelligencePriority,omitzero" mcp:"min=0,max=1"`
}

// ModelHint names a model or a family of models.
type ModelHint struct {
	// Name is a part of the name of a model.
	Name string `json:"name,omitzero" mcp:"name"`
}

// Known values of CreateMessageResult.StopReason; others are allowed (SAMP-009).
const (
	StopEndTurn      = "endTurn"
	StopStopSequence = "stopSequence"
	StopMaxTokens    = "maxTokens"
	StopToolUse      = "toolUse"
)

// CreateMessageResult is the result of sampling/createMessage.
type CreateMessageResult struct {
	// Role is who speaks, as a rule RoleAssistant.
	Role Role `json:"role"`
	// Content is what the model said: text, images, sounds, and tools that it uses. One
	// block is sent without brackets; before 2025-11-25 there is exactly one.
	Content []Content `json:"content" mcp:"one,sampling" arrays:"2025-11-25" odd:"fault"`
	// Model is the model that was used.
	Model string `json:"model" mcp:"name"`
	// StopReason is why it stopped, if known.
	StopReason string `json:"stopReason,omitzero" mcp:"name"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero"`
}

// Model is a model that a client can sample with. The three values say how good it is at
// what the priorities of ModelPreferences weigh, from 0 to 1.
type Model struct {
	// Name is what hints are matched with.
	Name string
	// Cheapness is 1 for the cheapest.
	Cheapness float64
	// Speed is 1 for the fastest.
	Speed float64
	// Intelligence is 1 for the most capable.
	Intelligence float64
}

// Choose returns the index of the model that suits the preferences, -1 if models is
// empty (sampling, Model Preferences). Hints are tried in order and the first that any
// model's name contains decides; among several models that match, or if none does, the
// weighted priorities do, and then the order of the list. A client is free to choose
// otherwise (SAMP-010, SAMP-011, SAMP-012, SAMP-027).
func (p *ModelPreferences) Choose(models []Model) int {
	if p == nil {
		p = &ModelPreferences{}
	}
	for _, hint := range p.Hints {
		if hint.Name == "" {
			continue
		}
		if best := p.best(models, hint.Name); best >= 0 {
			return best
		}
	}
	return p.best(models, "")
}

// best returns the best of the models whose name contains part (SAMP-013).
func (p *ModelPreferences) best(models []Model, part string) int {
	best, top := -1, 0.0
	for i, m := range models {
		if !strings.Contains(m.Name, part) {
			continue
		}
		score := value(p.CostPriority)*m.Cheapness + value(p.SpeedPriority)*m.Speed + value(p.IntelligencePriority)*m.Intelligence
		if best < 0 || score > top {
			best, top = i, score
		}
	}
	return best
}

func value(f *float64) float64 {
	if f == nil {
		return 0
	}
	return *f
}
