// A crash of dvmc ends with status 70 and says what to send.
#pragma once

namespace dvm::driver {

// For `main` only: a library must leave the process's signals alone.
void install_crash_report();

}  // namespace dvm::driver
