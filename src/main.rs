//! The `stratagate` program; everything it does is in [`stratagate::cli`].

use std::process::ExitCode;

/// The store and the index take much memory from many threads and give it back in a mixed order;
/// the system's allocator would keep most of it.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    stratagate::cli::main()
}
