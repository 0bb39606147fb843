#!/usr/bin/env bash
# Installs what a build needs on Debian 12 and is missing: packages, and DuckDB's static archives.
#
#   --fuzz        also clang with libFuzzer and its sanitizers
#   --check       also clang-format and clang-tidy
#   DUCKDB_ROOT   a folder with duckdb.h and DuckDB's *.a files, to use instead of fetching them
#
# Does nothing, quickly, when everything is there.
set -euo pipefail
cd "$(dirname "$0")/.."

duckdb_version=v0.10506.0 # of the Go module; DuckDB 1.5.6

packages=(
    build-essential cmake ninja-build ccache mold pkg-config git
    libcmocka-dev libjansson-dev libzstd-dev liblz4-dev libsnappy-dev libbrotli-dev libxxhash-dev zlib1g-dev libbz2-dev
    libpcre2-dev nettle-dev librocksdb-dev
    libedit-dev libmariadb-dev libcurl4-openssl-dev libexpat1-dev librdkafka-dev
    libmicrohttpd-dev
    python3
)

for argument in "$@"; do
    case "$argument" in
        --fuzz) packages+=(clang-19 libclang-rt-19-dev) ;;
        --check) packages+=(clang-format-19 clang-tidy-19) ;;
        *) echo "tools/deps.sh: there is no '$argument'; there are --fuzz and --check" >&2; exit 1 ;;
    esac
done

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

missing_packages() {
    for package in "$@"; do
        dpkg-query --show --showformat='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || echo "$package"
    done
}

install_packages() {
    local missing
    mapfile -t missing < <(missing_packages "$@")
    [ ${#missing[@]} -eq 0 ] && return
    echo "installing ${missing[*]}" >&2
    as_root apt-get update -qq
    DEBIAN_FRONTEND=noninteractive as_root apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# DuckDB ships its static archives as a Go module; Debian's Go is enough to fetch it.
fetch_duckdb() {
    local architecture
    case "$(uname -m)" in
        x86_64) architecture=amd64 ;;
        aarch64) architecture=arm64 ;;
        *) echo "no DuckDB archives for $(uname -m): build DuckDB and set DUCKDB_ROOT" >&2; exit 1 ;;
    esac
    command -v go >/dev/null || install_packages golang-go
    local module=github.com/duckdb/duckdb-go-bindings/lib/linux-$architecture@$duckdb_version
    echo "fetching DuckDB ($module)" >&2
    local scratch folder
    scratch=$(mktemp -d)
    folder=$(cd "$scratch" && GOFLAGS=-mod=mod go mod download -json "$module" | sed -n 's/^\t"Dir": "\(.*\)",*$/\1/p')
    rmdir "$scratch"
    [ -f "$folder/duckdb.h" ] || { echo "DuckDB could not be fetched: $module" >&2; exit 1; }
    mkdir -p third_party
    ln -sfn "$folder" third_party/duckdb
}

if command -v dpkg-query >/dev/null; then
    install_packages "${packages[@]}"
else
    echo "not a Debian system: please install the libraries named in tools/deps.sh yourself" >&2
fi

if [ -n "${DUCKDB_ROOT:-}" ]; then
    mkdir -p third_party
    ln -sfn "$DUCKDB_ROOT" third_party/duckdb
elif [ ! -f third_party/duckdb/duckdb.h ]; then
    fetch_duckdb
fi
