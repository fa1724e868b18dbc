package schema

// try is apply for a branch, whose failure is not yet a fault. It puts the path back, which a
// failure leaves where it happened.
func (e *evaluator) try(r *rule, v string) verdict {
	at := len(e.path)
	e.quiet++
	out := e.apply(r, v)
	e.quiet--
	e.back(at)
	return out
}

func (e *evaluator) referred(r *rule, v string) verdict {
	if r.ref == nil {
		return yes
	}
	return e.apply(r.ref, v)
}

func (e *evaluator) every(r *rule, v string) verdict {
	out := yes
	for _, s := range r.allOf {
		if out = min(out, e.apply(s, v)); out == no {
			break
		}
	}
	return out
}

func (e *evaluator) some(r *rule, v string) verdict {
	if r.anyOf == nil {
		return yes
	}
	out := no
	for _, s := range r.anyOf {
		if out = max(out, e.try(s, v)); out == yes {
			return yes
		}
	}
	if out == no || e.dead {
		return e.fail("anyOf")
	}
	return out
}

func (e *evaluator) one(r *rule, v string) verdict {
	if r.oneOf == nil {
		return yes
	}
	var n tally
	for _, s := range r.oneOf {
		if n[e.try(s, v)]++; n[yes] > 1 {
			return e.fail("oneOf")
		}
	}
	switch {
	case n[yes]+n[maybe] == 0 || e.dead:
		return e.fail("oneOf")
	case n[maybe] > 0:
		return maybe
	}
	return yes
}

func (e *evaluator) negated(r *rule, v string) verdict {
	if r.not == nil {
		return yes
	}
	out := yes - e.try(r.not, v)
	if out == no || e.dead {
		return e.fail("not")
	}
	return out
}

func (e *evaluator) conditional(r *rule, v string) verdict {
	if r.cond == nil || r.then == nil && r.els == nil {
		return yes
	}
	cond := e.try(r.cond, v)
	switch {
	case e.dead:
		return no
	case cond == yes:
		return e.optional(r.then, v)
	case cond == no:
		return e.optional(r.els, v)
	}
	// Either may be the one that counts.
	for _, s := range []*rule{r.then, r.els} {
		if s == nil || e.try(s, v) != no {
			return maybe
		}
	}
	return e.fail("if")
}

func (e *evaluator) optional(r *rule, v string) verdict {
	if r == nil {
		return yes
	}
	return e.apply(r, v)
}
