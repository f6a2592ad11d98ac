#!/usr/bin/env bash
# Builds what is missing or out of date: node_modules, build/*.wasm, dist/. It does its own
# set-up, so that a fresh clone needs nothing but Node, npm and, on Debian or Ubuntu, root or sudo.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

if ! node scripts/in-step.mjs; then
  npm ci
fi

scripts/need.sh emcc emscripten
scripts/need.sh cmake cmake
scripts/need.sh ninja ninja-build

# Debian's emcc runs scripts that find acorn only where Debian's own Node would look.
if [[ -d /usr/share/nodejs/acorn ]]; then
  export NODE_PATH=${NODE_PATH:+$NODE_PATH:}/usr/share/nodejs
fi

# An Emscripten installed by root may keep its cache where this user can't write. (A frozen cache
# needs no writing.)
if [[ -z ${EM_CACHE:-} ]] && command -v em-config > /dev/null; then
  if [[ $(em-config FROZEN_CACHE) != True && ! -w $(em-config CACHE) ]]; then
    export EM_CACHE=$PWD/build/emscripten-cache
  fi
fi

run_quietly() {
  local log
  log=$(mktemp)
  if ! "$@" > "$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
}

mkdir -p build
if [[ ! -f build/wasm/build.ninja ]]; then
  run_quietly emcmake cmake -S c -B build/wasm -G Ninja -DCMAKE_BUILD_TYPE=Release
fi
run_quietly cmake --build build/wasm
for module in fencelock.wasm simulator.wasm; do
  cmp -s "build/wasm/$module" "build/$module" || install -m 644 "build/wasm/$module" "build/$module"
done

# rebuild NAME SOURCE...: runs scripts/build-NAME.mjs when a source is newer than its last run.
rebuild() {
  local name=$1 stamp=dist/.$1.stamp
  shift
  if [[ -e $stamp && -z $(find "$@" "scripts/build-$name.mjs" -newer "$stamp" -print -quit) ]]; then
    return
  fi
  touch "dist/.$name.started"
  node "scripts/build-$name.mjs"
  mv "dist/.$name.started" "$stamp"
}

mkdir -p dist
rebuild js js build/fencelock.wasm build/simulator.wasm package-lock.json
rebuild page web dist/.js.stamp
