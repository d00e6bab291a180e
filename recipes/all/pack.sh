#!/bin/sh
# Puts all that a machine with a GPU and no network needs to make the notes and train into one folder under 64 MiB:
#
#   sh recipes/all/pack.sh mtsamples.jsonl MEDDOCAN FOLDER [SHARE]
#
# SHARE (1 unless given) is of the notes from which the vocabulary is drawn; for trying it out. There, sh FOLDER/run.sh.
set -eu
base=$1 meddocan=$2 out=$3 share=${4:-1}
root=$(cd "$(dirname "$0")/../.." && pwd)
python=${PYTHON:-python}
# What transformers does not bring along, of what making notes and the rules need.
wheels=${WHEELS-ahocorasick-rs defusedxml phonenumbers python-stdnum rapidfuzz}

[ ! -e "$out" ] || { echo "$out: already there" >&2; exit 1; }
mkdir -p "$out/src" "$out/recipes"
tar -C "$root/src" --exclude='deidlab/models/*/*' --exclude='__pycache__' -cf - deidlab | tar -C "$out/src" -xf -
find "$out/src/deidlab/models" -mindepth 1 -type d -empty -delete
cp -r "$root/recipes/all" "$root/recipes/en" "$root/recipes/packing.py" "$out/recipes/"
cp "$root/recipes/all/run.sh" "$out/run.sh"

export PYTHONPATH="$root/src"
"$python" "$root/recipes/all/all_notes.py" --base "$base" --prepare "$out/base.gz"
"$python" "$root/recipes/all/encoder.py" --base "$out/base.gz" --meddocan "$meddocan" --out "$out/encoder" --share "$share"
tar -C "$meddocan" -czf "$out/meddocan.tar.gz" train dev
if [ -n "$wheels" ]; then
    # shellcheck disable=SC2086
    "$python" -m pip download -q --no-deps --only-binary=:all: --python-version 3.12 --platform manylinux2014_x86_64 \
        --platform manylinux_2_28_x86_64 -d "$out/wheels" $wheels
fi
find "$out" -name __pycache__ -type d -prune -exec rm -r {} +
size=$(du -sm "$out" | cut -f1)
echo "$out: $size MiB"
[ "$size" -lt 64 ] || { echo "$out: more than the 64 MiB that travel" >&2; exit 1; }
