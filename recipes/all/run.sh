#!/bin/sh
# Makes the notes and trains, from a folder that pack.sh wrote, within SECONDS; the run in small files goes to $OUT:
#
#   OUT=FOLDER sh run.sh SECONDS [SHARE] [CHANGES]
#
# SHARE (1 unless given) is of the notes, CHANGES are settings to change, as JSON; both for trying it out. Notes that
# are there from a call before are taken. With ROUND=2 it is the second training, and the folder's `encoder` the run of the
# first; and so on. `train.py --unpack $OUT/run RUN` joins the files.
set -eu
began=$(date +%s)
limit=$1 share=${2:-1} changes=${3:-"{}"}
here=$(cd "$(dirname "$0")" && pwd)
work=${WORK:-$here/work}
out=${OUT:?say where to leave the run: OUT=FOLDER}
python=${PYTHON:-python3}
export PYTHONUNBUFFERED=1 PYTHONPATH="$here/src:$work/site"
mkdir -p "$work/site" "$out"

missing=
for name in ahocorasick_rs defusedxml phonenumbers stdnum rapidfuzz; do
    "$python" -c "import $name" 2>/dev/null || missing="$missing $name"
done
if [ -n "$missing" ] && [ -d "$here/wheels" ]; then
    echo "installed from wheels:$missing"
    "$python" -m pip install -q --no-index --no-deps --target "$work/site" "$here"/wheels/*.whl
fi
if [ ! -e "$work/notes/held_out.jsonl" ]; then
    rm -rf "$work/notes" "$work/meddocan"
    mkdir -p "$work/meddocan"
    tar -C "$work/meddocan" -xzf "$here/meddocan.tar.gz"
    "$python" "$here/recipes/all/all_notes.py" --base "$here/base.gz" --meddocan "$work/meddocan" \
        --out "$work/notes" --share "$share" --round "${ROUND:-1}"
fi
left=$((limit - $(date +%s) + began))
echo "$left s left to train"
"$python" "$here/recipes/all/train.py" --notes "$work/notes" --round "${ROUND:-1}" --model "$here/encoder" --out "$work/run" \
    --keep "$out/run" --seconds "$left" --changes "$changes"
ls -l "$out/run"
