//! The `stratagate` program; everything it does is in [`stratagate::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    stratagate::cli::main()
}
