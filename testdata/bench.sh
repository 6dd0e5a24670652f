#!/bin/sh
# Tells how much CPU commands take over so many made sessions: bench.sh PROGRAM [SESSIONS…]
#
# Each command runs ten times; what stands behind it is the mean, in milliseconds.
set -eu
program=$1
shift
[ $# -gt 0 ] || set -- 2000 20000
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset PIARCHIVE_ROOTS
export HOME="$scratch"

# cpu RUNS COMMAND… prints the CPU time of a run.
cpu() {
	runs=$1
	shift
	{ time -p sh -c 'n=$1; shift; while [ $n -gt 0 ]; do "$@" >/dev/null 2>&1 || [ $? -eq 1 ]; n=$((n - 1)); done' - "$runs" "$@"; } 2>&1 |
		awk -v runs="$runs" -v what="$*" '/^(user|sys)/ { s += $2 } END { sub(/^[^ ]* /, "", what); sub(/ --db .*/, "", what); printf "  %-36s %8.1f\n", what, s * 1000 / runs }'
}

echo "$("$program" version), $(getconf _NPROCESSORS_ONLN) cores"
for sessions; do
	root=$scratch/$sessions
	mkdir "$root"
	awk -v n="$sessions" -v root="$root" 'BEGIN {
		srand(7)
		for (p = 0; p < 40; p++) system("mkdir " root "/--w-" p "--")
		for (i = 0; i < n; i++) {
			day = 1 + int(i * 300 / n)
			at = sprintf("2026-%02d-%02dT%02d:%02d:%02d.000Z", 1 + int((day - 1) / 28), 1 + (day - 1) % 28, rand() * 24, rand() * 60, rand() * 60)
			p = int(rand() * 40)
			id = sprintf("%08x-0000-4000-8000-%012x", i * 2654435761 % 4294967296, i)
			text = ""
			for (w = 0; w < 40; w++) text = text " w" int(3000 * rand() * rand() * rand())
			f = root "/--w-" p "--/" i "_" id ".jsonl"
			printf "{\"type\":\"session\",\"version\":3,\"id\":\"%s\",\"timestamp\":\"%s\",\"cwd\":\"/w/%d\"}\n", id, at, p > f
			printf "{\"type\":\"message\",\"id\":\"a%07x\",\"parentId\":null,\"timestamp\":\"%s\",\"message\":{\"role\":\"user\",\"content\":\"%s unique%d\"}}\n", i, at, text, i > f
			printf "{\"type\":\"message\",\"id\":\"b%07x\",\"parentId\":\"a%07x\",\"timestamp\":\"%s\",\"message\":{\"role\":\"assistant\",\"provider\":\"p\",\"model\":\"m%d\",\"content\":[{\"type\":\"text\",\"text\":\"%s\"}],\"usage\":{\"input\":%d,\"output\":%d,\"cacheRead\":0,\"cacheWrite\":0,\"totalTokens\":9,\"cost\":{\"total\":%f}},\"stopReason\":\"stop\"}}\n", i, i, at, i % 3, text, rand() * 9000, rand() * 900, rand() > f
			close(f)
		}
	}'
	db=$scratch/$sessions.db
	echo "$sessions sessions, $(du -sk "$root" | cut -f 1) kB"
	cpu 1 "$program" index --full --db "$db" --root "$root"
	sleep 1 # files as young as the archive are looked at again
	"$program" index -q --full --db "$db" --root "$root"
	cpu 10 "$program" version --db "$db"
	cpu 10 "$program" index --db "$db" --root "$root"
	for command in "list -n 50" "list -n 50 --sort cost" "list -n 50 --project /w/7" stats cost "search w1" "search unique7" "search unique7 --root $root"; do
		# shellcheck disable=SC2086
		cpu 10 "$program" $command --no-fresh --db "$db"
	done
done
