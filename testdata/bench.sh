#!/bin/sh
# Measures runs of piarchive, whole processes, over made sessions: bench.sh PROGRAM [BEFORE]
#
#   SIZES   megabytes:files of each corpus; 10000:20000 is ten gigabytes, 500:1 one large file
#   ROUNDS  how often what takes long is run, what is quick three times as often and more
#   GO      the go command, which builds what makes the sessions and measures
#   TMPDIR  where there is room for three times the largest corpus
#   PIARCHIVE_PI  directory of pi's npm package, if the command pi is not there
#
# BEFORE is another piarchive, say an earlier one, that makes archives of its own. It, and what
# else does something of the kind and is installed, runs in turn with PROGRAM. Rows have medians;
# behind a row that is set in stands how many times as much the row not set in above it took.
set -eu
program=$1
before=${2-}
: "${SIZES:=100:2000 1000:20000}" "${ROUNDS:=3}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
unset PIARCHIVE_ROOTS PIARCHIVE_DB
bench=$scratch/bench
"${GO:-go}" build -o "$bench" "$(dirname "$0")/bench/"*.go
export HOME="$scratch"

# row ROUNDS PREPARATION LABEL ARGUMENTS [-- LABEL COMMAND…]… measures a command of piarchive and,
# in turn with it, the same of the one before, and the other commands.
row() {
	rounds=$1 prepare=$2 label=$3 arguments=$4
	shift 4
	# shellcheck disable=SC2086
	{
		[ -z "$before" ] || set -- -- "  before" "$before" $arguments --db "$db.before" "$@"
		"$bench" measure "$rounds" "$prepare" "$label" "$program" $arguments --db "$db" "$@"
	}
}

has() { command -v "$1" >/dev/null; }

# others MEGABYTES adds to the arguments of the row of a first index what else reads all sessions.
others() {
	set -- "$1" -- "  on one core" GOMAXPROCS=1 "$program" index -q --full --root "$root" --db "$db" \
		-- "  cat" find "$root" -name '*.jsonl' -exec cat {} +
	! has rg || set -- "$@" -- "  rg, one word" rg -c uniqueh "$root"
	if [ "$1" -gt 1000 ]; then
		echo "(sqlite3 and pi are compared over no more than 1000 MB)"
	else
		if has sqlite3 && sqlite3 :memory: 'CREATE VIRTUAL TABLE f USING fts5(t)' 2>/dev/null; then
			"$program" sql --no-fresh --db "$db" --csv 'SELECT entry_text(entry) AS text FROM entries' |
				sqlite3 -csv "$db.texts" '.import /dev/stdin texts'
			set -- "$@" -- "  sqlite3, full text alone" sqlite3 "$db.fts" "PRAGMA journal_mode = off; PRAGMA synchronous = off;
				ATTACH '$db.texts' AS t; CREATE VIRTUAL TABLE f USING fts5(text, content = ''); INSERT INTO f (text) SELECT text FROM texts"
		fi
		if has node && [ -n "$pi" ]; then
			mkdir -p "$scratch/agent"
			ln -sfn "$root" "$scratch/agent/sessions"
			set -- "$@" -- "  pi's listAll" PI_OFFLINE=1 PI_CODING_AGENT_DIR="$scratch/agent" node --input-type=module -e \
				"const {SessionManager} = await import('$pi/dist/bundle/index.js'); await SessionManager.listAll()"
		fi
	fi
	shift
	row "$ROUNDS" "rm -f '$db' '$db.before' '$db.fts'" "first index" "index -q --full --root $root" "$@"
}

echo "$("$program" version), $(getconf _NPROCESSORS_ONLN) cores"
pi=${PIARCHIVE_PI-}
pi=${pi%%:*}
[ -n "$pi" ] || ! has pi || pi=$(dirname "$(dirname "$(readlink -f "$(command -v pi)")")")
has node && [ -n "$pi" ] || echo "not compared with pi, which is not there, or node is not"
for tool in rg sqlite3; do
	has $tool || echo "not compared with $tool, which is not there"
done
for size in $SIZES; do
	megabytes=${size%:*}
	files=${size#*:}
	root=$scratch/sessions
	db=$scratch/archive.db
	"$bench" sessions "$root" "$files" "$megabytes"
	"$program" index -q --full --root "$root" --db "$db"
	bytes=$(find "$root" -name '*.jsonl' -exec cat {} + | wc -c)
	printf '\n%s files, %s MB: the archive takes %s %%\n' "$files" "$megabytes" $(($(wc -c <"$db") * 100 / bytes))
	printf '%-34s %9s %9s %9s %9s  %6s %6s\n' "" "CPU ms" "wall ms" "peak MB" "written" "x CPU" "x wall"
	others "$megabytes"

	quick=$((ROUNDS * 3 + 2))
	row $quick : "nothing new" "index -q --root $root"
	# shellcheck disable=SC2016
	append='printf "{\"type\":\"message\",\"id\":\"z%07x\",\"parentId\":null,\"timestamp\":\"2026-12-01T00:00:00.000Z\",\"message\":{\"role\":\"user\",\"content\":\"one more\"}}\n" $(wc -c <"$FILE") >>"$FILE"'
	file=$(find "$root" -name '*.jsonl' | sort | head -n 7 | tail -n 1)
	row $quick "FILE='$file'; $append" "one entry more" "index -q --root $root"
	row $quick : "version" version
	for command in "list -n 50" "list -n 50 --sort cost" stats cost; do
		row $quick : "$command" "$command --no-fresh"
	done
	for query in uniqueh the '"npm run check"' 'conf*'; do
		if has rg; then
			word=${query#\"}
			word=${word%[\"*]}
			row $quick : "search $query" "search --no-fresh $query" -- "  rg" rg -c "$word" "$root"
		else
			row $quick : "search $query" "search --no-fresh $query"
		fi
	done
	rm -rf "$root" "$db"*
done
