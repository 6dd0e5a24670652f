#!/bin/sh
# Makes the archive of one layout: make.sh PROGRAM FILE [DIR]
#
# PROGRAM is a piarchive that writes the layout, FILE the archive to be, DIR where
# the sessions are while they are indexed; it must not exist, and is gone again in
# the end. The archive names its files below DIR, so that is the same for all.
set -eu
program=$1
file=$2
dir=${3:-/proj/sessions}
here=$(cd "$(dirname "$0")" && pwd)

mkdir -p "$dir"
cp -r "$here/../sessions/pi-v2" "$here/../sessions/rust" "$dir"
export PIARCHIVE_DB="$file"
"$program" index -q "$dir"

# One session is cut short, one of each kind is gone.
cut="$dir/pi-v2/--home-mira-src-nightterm--/2026-01-02T20-15-07-220Z_a4ee5c7d-89b7-40cf-bd0e-3789b77bf28d.jsonl"
head -n 3 "$cut" >"$dir/short"
cp "$dir/short" "$cut"
rm "$dir/short"
rm "$dir"/pi-v2/--home-mira-src-ledgerlite--/*.jsonl "$dir"/rust/--home-mira-src-tagsmith--/*.jsonl
"$program" index -q "$dir"
rm -r "$dir"
