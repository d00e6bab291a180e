#!/bin/sh
# The browser for the tests of the pages: installed where that can be done, else those tests are skipped, loudly.
for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null && exit 0
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium \
        >/dev/null && exit 0
fi
echo "no Chromium, and it cannot be installed here: the tests of the pages will be skipped" >&2
