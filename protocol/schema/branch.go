package schema

// try is apply for a branch, whose failure is not yet a fault. It restores the path, which a
// failure leaves where it occurred.
func (e *evaluator) try(r *rule, v string) verdict {
	at := len(e.path)
	e.quiet++
	out := e.apply(r, v)
	e.quiet--
	e.back(at)
	return out
}

func (e *evaluator) referred(r *rule, v string) verdict {
	out := yes
	if r.ref != nil {
		out = e.apply(&r.ref.rule, v)
	}
	if out != no && r.more != nil && r.more.dynamic != nil {
		out = min(out, e.apply(e.outermost(r.more.dynamic), v))
	}
	return out
}

// outermost returns the rule that a dynamic reference leads to.
func (e *evaluator) outermost(d *dynamic) *rule {
	if !d.fixed {
		for _, s := range e.scopes {
			if t := s.anchors[d.name]; e.step(1) && t != nil {
				return &t.rule
			}
		}
	}
	return &d.first.rule
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
		if out = max(out, e.branch(s, v, yes)); out == yes && !e.marks.asked {
			return yes
		}
	}
	if out == no || e.dead {
		return e.fail(r, "anyOf")
	}
	return out
}

func (e *evaluator) one(r *rule, v string) verdict {
	if r.oneOf == nil {
		return yes
	}
	var n tally
	for _, s := range r.oneOf {
		if n[e.branch(s, v, yes)]++; n[yes] > 1 {
			return e.fail(r, "oneOf")
		}
	}
	switch {
	case n[yes]+n[maybe] == 0 || e.dead:
		return e.fail(r, "oneOf")
	case n[maybe] > 0:
		return maybe
	}
	return yes
}

func (e *evaluator) negated(r *rule, v string) verdict {
	if r.not == nil {
		return yes
	}
	out := yes - e.aside(r.not, v)
	if out == no || e.dead {
		return e.fail(r, "not")
	}
	return out
}

func (e *evaluator) conditional(r *rule, v string) verdict {
	if r.cond == nil || r.then == nil && r.els == nil && !e.marks.asked {
		return yes
	}
	cond := e.branch(r.cond, v, yes)
	switch {
	case e.dead:
		return no
	case cond == yes:
		return e.optional(r.then, v)
	case cond == no:
		return e.optional(r.els, v)
	}
	// Either may be the one that applies.
	out := no
	for _, s := range [...]*rule{r.then, r.els} {
		if s == nil || e.branch(s, v, maybe) != no {
			out = maybe
		}
	}
	if out == no {
		return e.fail(r, "if")
	}
	return out
}

func (e *evaluator) optional(r *rule, v string) verdict {
	if r == nil {
		return yes
	}
	return e.apply(r, v)
}
