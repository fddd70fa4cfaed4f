# What the scripts share: finding or installing what a build needs.
# Sourced, not run. Works on a bare Debian 12 with a Rust toolchain, as root or with sudo.

say() { printf '\n== %s\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# Prints how to become root: nothing for root itself, `sudo -n` where that works without asking.
as_root() {
    [ "$(id -u)" -eq 0 ] && return 0
    command -v sudo >/dev/null && sudo -n true 2>/dev/null && printf 'sudo -n'
}

may_install() {
    command -v apt-get >/dev/null && { [ "$(id -u)" -eq 0 ] || [ -n "$(as_root)" ]; }
}

# Installs packages where this user may; otherwise says what is missing.
install_packages() {
    may_install || die "missing: $*; install them (Debian: apt-get install -y $*) and run again"
    local root
    root=$(as_root)
    say "installing $*"
    export DEBIAN_FRONTEND=noninteractive
    # The package lists may be there and good enough; if not, fetch them and try once more.
    $root apt-get install -y --no-install-recommends "$@" >&2 && return 0
    $root apt-get update >&2
    $root apt-get install -y --no-install-recommends "$@" >&2
}

has_libclang() {
    ldconfig -p 2>/dev/null | grep -q 'libclang[-.0-9]*\.so' && return 0
    compgen -G "${LIBCLANG_PATH:-/nonexistent}/libclang*.so*" >/dev/null && return 0
    compgen -G '/usr/lib/llvm-*/lib/libclang*.so*' >/dev/null
}

# The bindings to RocksDB are made by libclang, which also needs the compiler's own headers.
has_clang_headers() {
    [ -n "${LIBCLANG_PATH:-}" ] ||
        compgen -G '/usr/lib/llvm-*/lib/clang/*/include/stddef.h' >/dev/null ||
        compgen -G '/usr/lib*/clang/*/include/stddef.h' >/dev/null
}

# Prints the packages of the libclang that this release prefers, or the newest it has.
libclang_packages() {
    local version
    version=$(apt-cache depends libclang-dev 2>/dev/null |
        sed -n 's/.*Depends: libclang-\([0-9]*\)-dev.*/\1/p' | head -n 1)
    if [ -z "$version" ]; then
        version=$(apt-cache search --names-only '^libclang1-[0-9]+$' 2>/dev/null |
            sed -n 's/^libclang1-\([0-9]*\) .*/\1/p' | sort -n | tail -n 1)
    fi
    if [ -n "$version" ]; then
        echo "libclang1-$version libclang-common-$version-dev"
    else
        echo "libclang-dev"
    fi
}

# Looks for all that the build needs before the long compile, not after it.
set_up() {
    local missing=()
    command -v g++ >/dev/null || missing+=(g++)
    command -v gcc >/dev/null || missing+=(gcc libc6-dev)
    command -v make >/dev/null || missing+=(make)
    if ! has_libclang || ! has_clang_headers; then
        # Without package lists there is nothing to choose from.
        if may_install && ! compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; then
            $(as_root) apt-get update >&2
        fi
        # shellcheck disable=SC2207
        missing+=($(libclang_packages))
    fi
    if [ ${#missing[@]} -gt 0 ]; then
        install_packages "${missing[@]}"
        has_libclang || die "libclang is still missing; set LIBCLANG_PATH to the folder that has it"
    fi
    command -v cargo >/dev/null || { [ -f "$HOME/.cargo/env" ] && . "$HOME/.cargo/env"; }
    command -v cargo >/dev/null || die "cargo is missing; install Rust 1.90 or later (rustup.rs) and run again"
    export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$HOME/.cache/stratagate-target}"
    if command -v ccache >/dev/null; then
        # The C++ part is the same for every checkout.
        export CC="${CC:-ccache gcc}" CXX="${CXX:-ccache g++}"
    fi
}

# Makes a Python environment with what a file of requirements lists, once for each content of the
# file, and prints its folder.
python_venv() {
    local requirements=$1 folder
    folder="$HOME/.cache/stratagate-python/$(sha256sum "$requirements" | cut -c1-16)"
    if [ ! -x "$folder/bin/python" ] || [ ! -f "$folder/complete" ]; then
        python3 -c 'import ensurepip, venv' 2>/dev/null || install_packages python3 python3-venv
        rm -rf "$folder"
        python3 -m venv "$folder" >&2
        "$folder/bin/pip" install --quiet --disable-pip-version-check -r "$requirements" >&2
        touch "$folder/complete"
    fi
    printf '%s' "$folder"
}

# Asks a service with SPARQL clients that others have written.
clients() {
    local python
    python=$(python_venv tests/clients/requirements.txt) || return 1
    "$python/bin/python" tests/clients/sparql_clients.py "$CARGO_TARGET_DIR/release/stratagate"
}

# Runs a step and says how long it took.
timed() {
    local name=$1 started=$SECONDS
    shift
    say "$name"
    "$@" || die "$name failed after $((SECONDS - started)) s"
    printf '== %s: %s s\n' "$name" "$((SECONDS - started))" >&2
}
