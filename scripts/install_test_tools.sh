#!/bin/sh
# What tests need of the system: a browser, the library its driver wants, a database server, curl. What is missing is
# installed where that can be done; else the tests that need it are skipped, loudly.
missing=""
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
    || missing="$missing chromium"
/sbin/ldconfig -p 2>/dev/null | grep -q 'libatomic\.so\.1' || missing="$missing libatomic1"
command -v postgres >/dev/null || ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || missing="$missing postgresql"
command -v curl >/dev/null || missing="$missing curl"
[ -z "$missing" ] && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    # Debian would start a database server of its own after the installation.
    mkdir -p /etc/postgresql-common
    [ -e /etc/postgresql-common/createcluster.conf ] || echo "create_main_cluster = false" \
        >/etc/postgresql-common/createcluster.conf
    # shellcheck disable=SC2086
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing \
        >/dev/null && exit 0
fi
echo "missing, and not to be installed here:$missing; the tests that need them will be skipped" >&2
