#!/bin/sh
# Makes the tree of files that an image holds: `sh deploy/build-tree.sh FOLDER [PACKAGE…]`, from the root of the repository
# after `npm ci`, with packages beside toolwire such as the client of a store. The Dockerfile runs it, and so
# does a test, because no engine is needed for this part.
set -eu
folder=$1
shift
mkdir -p "$folder"
npm run --silent build
packs=$(mktemp -d)
npm pack --silent --workspace toolwire --pack-destination "$packs" >/dev/null
printf '{ "name": "app", "private": true, "type": "module" }\n' >"$folder/package.json"
(cd "$folder" && npm install --silent --ignore-scripts --no-audit --no-fund --no-package-lock "$packs"/*.tgz "$@")
rm -r "$packs"
