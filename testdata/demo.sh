#!/bin/sh
# demo.sh PROGRAM looks around in the sample sessions of every dialect, but the damaged
# ones, in a scratch archive that goes away at the end. A test holds the first
# transcript of the README against what this prints.
set -e
program=$(command -v "$1")
case $program in
/*) ;;
*) program=$PWD/$program ;;
esac
cd "$(dirname "$0")/sessions"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset PIARCHIVE_ROOTS
export PIARCHIVE_DB="$scratch/archive.db" TZ=UTC HOME="$scratch" XDG_CONFIG_HOME="$scratch"

# show LINE [FLAGS] prints a command line as one types it at a terminal, and its
# answer; FLAGS lay that out in a pipe as well.
show() {
	printf '\n$ piarchive %s\n' "$1"
	eval "\"\$program\" --width 80 --no-pager $1 $2" || test $? -eq 1 # nothing found is no failure
}

show 'index pi-v1 pi-v2 pi-v3 pi-v3-new omp/agent/sessions rust harness-v4'
show 'list -n 5' '--format text'
show 'search terminal path -n 4' '--format text'
show 'search '\''"wal_checkpoint(TRUNCATE)"'\' '--format text'
show 'search 库存 in:user' '--format text'
show 'show 4a369254@4 -C 0'
show 'tree 4a369254'
show 'cost --by project'
show "sql 'SELECT project, sessions, round(cost, 2) AS dollars FROM projects ORDER BY cost DESC LIMIT 3'" '--format text'
