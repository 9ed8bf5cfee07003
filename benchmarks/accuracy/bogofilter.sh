#!/bin/bash
# Accuracy of bogofilter on the documents that polya is tested on:
#
#     bogofilter.sh CORPUS
#
# CORPUS is the directory of an unpacked corpus, all/ham/NAME and all/spam/NAME, cut by the
# protocol halves of corpora.py. bogofilter runs without any configuration file (-C), so by
# its shipped cut-offs: spam from .99 on, ham up to .45, unsure between them. Unsure is a
# miss for spam and right for ham.
#
# Environment: BOGOFILTER, the program (bogofilter), and PYTHON, a Python 3 with
# scikit-learn (python3).
set -euo pipefail

corpus=${1:?usage: bogofilter.sh CORPUS}
bogofilter=${BOGOFILTER:-bogofilter}
python=${PYTHON:-python3}
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$python" "$here/corpora.py" "$corpus" halves "$scratch/train" "$scratch/test"
cd "$corpus"
for class in ham spam; do
	awk -F '\t' -v class=$class '$1 == class { print $2 }' "$scratch/train" >"$scratch/$class"
done
mkdir "$scratch/words"
"$bogofilter" -C -d "$scratch/words" -n -b <"$scratch/ham"
"$bogofilter" -C -d "$scratch/words" -s -b <"$scratch/spam"

# -TT prints each path, a blank and the spamicity in 16 decimals, in the order of the test.
cut -f 2 "$scratch/test" | "$bogofilter" -C -d "$scratch/words" -TT -b >"$scratch/said"
paste "$scratch/test" "$scratch/said" |
	awk -F '\t' '{ n = split($3, s, " "); if ($2 " " s[n] != $3) exit 1; print $1 "\t" s[n] }' >"$scratch/scores"

# rates CUTOFF LABEL: spam is called what scores CUTOFF or more.
rates() {
	awk -F '\t' -v cutoff="$1" -v label="$2" '
		{ n[$1]++; if ($2 >= cutoff) called[$1]++; if ($2 > .45 && $2 < .99) unsure++ }
		END {
			fp = called["ham"]; fn = n["spam"] - called["spam"]
			printf "%s: error %.2f %%, FPR %.2f %%, FNR %.2f %%", label, 100 * (fp + fn) / NR,
				100 * fp / n["ham"], 100 * fn / n["spam"]
			if (label == "default cut-offs") printf ", unsure %.1f %%", 100 * unsure / NR
			print ""
		}' "$scratch/scores"
}

"$bogofilter" -V 2>&1 | head -n 2
rates .99 "default cut-offs"
rates .5 "one cut-off at .5"
"$python" "$here/measures.py" spam <"$scratch/scores"
# Ham that no cut-off can tell from the surest spam bounds the rate of false positives from below.
awk -F '\t' '$1 == "ham" { n++; top[$2]++ } $1 == "spam" && $2 > most { most = $2 }
	END { printf "ham at the greatest spamicity of spam, %s: %d of %d\n", most, top[most], n }' "$scratch/scores"
