#!/bin/sh
# The server for the tests of databases: installed where that can be done, else those tests are skipped, loudly.
command -v postgres >/dev/null && exit 0
ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    # Debian would start a server of its own after the installation.
    mkdir -p /etc/postgresql-common
    [ -e /etc/postgresql-common/createcluster.conf ] || echo "create_main_cluster = false" \
        >/etc/postgresql-common/createcluster.conf
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql \
        >/dev/null && exit 0
fi
echo "no PostgreSQL, and it cannot be installed here: the tests of that database will be skipped" >&2
