# Reads the thresholds and then a cover profile, prints the covered statements of
# each package, and fails if one is below its threshold or is not there. Every
# test binary reports every block, so blocks are merged first.
FNR == 1 { file++ }
file == 1 { if ($0 !~ /^#/ && NF == 2) least[$1] = $2; next }
/^mode:/ { next }
{
	block = $1
	statements[block] = $2
	if ($3 > 0) hit[block] = 1
}
END {
	for (block in statements) {
		pkg = block
		sub(/\/[^\/]*$/, "", pkg)
		sub("^" module, "", pkg)
		total[pkg] += statements[block]
		if (block in hit) covered[pkg] += statements[block]
	}
	for (pkg in least) {
		if (pkg == "*" || pkg in total) continue
		failed++
		printf "%-32s has a threshold and no statements\n", pkg | "sort"
	}
	for (pkg in total) {
		percent = 100 * covered[pkg] / total[pkg]
		want = (pkg in least) ? least[pkg] : least["*"]
		bad = percent < want
		failed += bad
		printf "%-32s %6.2f %%  of %5d statements, at least %.1f %%%s\n", pkg, percent, total[pkg], want, bad ? "  BELOW" : "" | "sort"
	}
	close("sort")
	exit failed > 0
}
