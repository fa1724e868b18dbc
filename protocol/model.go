package protocol

import "strings"

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

// Choose returns the index of the model that suits the preferences, -1 if there are no
// models (sampling, Model Preferences). Hints are tried in order and the first that any
// model's name contains decides; among several models that match, or if none does, the
// weighted priorities do, and then the order of the list. A client is free to choose
// otherwise.
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

// best returns the best of the models whose name contains part.
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
