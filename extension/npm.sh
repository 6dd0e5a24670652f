#!/bin/sh
# sh extension/npm.sh VERSION DIST [PLATFORM…] makes the npm packages in DIST: piarchive, and
# one for each platform, named as Node names it, with the program. PIARCHIVE_PROGRAM is a
# program to take instead of building one.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
version=$1
mkdir -p "$2"
dist=$(cd "$2" && pwd)
shift 2
[ $# -gt 0 ] || set -- darwin-arm64 darwin-x64 linux-arm64 linux-x64 win32-arm64 win32-x64

main=$dist/piarchive
rm -rf "$main"
mkdir "$main"
cp -R "$here/bin" "$here/piarchive" "$here/skills" "$here/README.md" "$here/../LICENSE" "$main"
sed "s/\"0\.0\.0\"/\"$version\"/" "$here/package.json" >"$main/package.json"

for platform; do
	package=$dist/piarchive-$platform
	os=${platform%-*} arch=${platform#*-} exe=
	goos=$os goarch=$arch
	[ "$os" != win32 ] || { goos=windows exe=.exe; }
	[ "$arch" != x64 ] || goarch=amd64
	rm -rf "$package"
	mkdir -p "$package/bin"
	cp "$here/../LICENSE" "$package"
	if [ -n "${PIARCHIVE_PROGRAM:-}" ]; then
		cp "$PIARCHIVE_PROGRAM" "$package/bin/piarchive$exe"
	else
		(cd "$here/.." && CGO_ENABLED=0 GOOS=$goos GOARCH=$goarch go build -trimpath \
			-ldflags "-s -w -X main.version=$version" -o "$package/bin/piarchive$exe" ./cmd/piarchive)
	fi
	chmod 755 "$package/bin/piarchive$exe"
	cat >"$package/package.json" <<-END
	{
	  "name": "piarchive-$platform",
	  "version": "$version",
	  "description": "The program piarchive for $os, $arch",
	  "license": "MIT",
	  "preferUnplugged": true,
	  "os": ["$os"],
	  "cpu": ["$arch"],
	  "files": ["bin"]
	}
	END
done

for package in "$main" "$dist"/piarchive-*/; do
	(cd "$package" && npm pack --silent --ignore-scripts --pack-destination "$dist")
done
