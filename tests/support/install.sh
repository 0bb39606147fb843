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
