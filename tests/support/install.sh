# Sourced by scripts whose tests need the programs of others: installs what is missing of them.

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

install_java_and_python() {
    local packages=()
    java -version 2>&1 | grep -q 'version "\(17\|21\)' || packages+=(openjdk-17-jdk-headless)
    command -v mvn >/dev/null || packages+=(maven)
    command -v python3 >/dev/null || packages+=(python3)
    [ ${#packages[@]} -eq 0 ] && return
    echo "installing ${packages[*]}" >&2
    as_root apt-get update -qq
    DEBIAN_FRONTEND=noninteractive as_root apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
}

# Programs in Python that read lakes, in a virtual environment of their own; sets engines_python. What cannot be installed
# is left out: the tests say so.
install_engines() {
    local folder=$1 package
    engines_python=$folder/bin/python
    if ! "$engines_python" -m pip --version >/dev/null 2>&1 && ! python3 -m venv "$folder" >/dev/null 2>&1; then
        { as_root apt-get update -qq && as_root apt-get install -y -qq --no-install-recommends python3-venv; } >/dev/null &&
            python3 -m venv "$folder" >/dev/null || engines_python=python3
    fi
    [ "$engines_python" = python3 ] && return
    for package in pypaimon pypaimon-rust chdb; do
        "$engines_python" -m pip show -q "$package" >/dev/null 2>&1 ||
            timeout 300 "$engines_python" -m pip install -q "$package" >&2 || echo "could not install $package" >&2
    done
}
