# Reads the exceptions and then what deadcode says. It fails if a function is no exception, if an
# exception has no reason, and if it has no function any more.
FILENAME == ARGV[1] {
	if ($0 ~ /^#/ || NF == 0) next
	listed[$1 " " $2] = 1
	if (NF < 3) bad($1 " " $2 " stands in .ci/unreachable without a reason")
	next
}
{
	file = $1
	sub(/:.*/, "", file)
	dir = file
	sub(/\/[^\/]*$/, "", dir)
	n++
	if (!(used(dir " " $NF) + used(file " " $NF) + used(file " *") + used(dir " *")))
		bad(file ": no program reaches " $NF "; give it one, delete it, or say in .ci/unreachable why it stays")
}
END {
	for (key in listed) if (!(key in seen)) bad(key " is reached or gone; delete it from .ci/unreachable")
	if (!failed) printf "%d functions that no program reaches, each with its reason\n", n
	exit failed
}
function used(key) { if (!(key in listed)) return 0; seen[key] = 1; return 1 }
function bad(text) { print text; failed = 1 }
