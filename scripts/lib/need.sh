# need PROGRAM PACKAGE: makes sure that a program is there, by Debian's package of that name if this is the administrator's account.
need() {
    command -v "$1" >/dev/null && return
    printf '\n== %s\n' "$2"
    if ! { [ "$(id -u)" = 0 ] && apt-get update && apt-get install -y --no-install-recommends "$2"; }; then
        echo "$1 is not there and cannot be installed from here: apt-get install $2" >&2
        exit 1
    fi
}

# environment FOLDER: a virtual environment of Python.
environment() {
    need python3 python3
    [ -x "$1/bin/pip" ] && return
    python3 -c 'import ensurepip' 2>/dev/null || need ensurepip python3-venv
    python3 -m venv "$1"
}
