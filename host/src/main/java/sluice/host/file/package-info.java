/// Reads TOML files ([sluice.host.file.TomlTables]) and command line options, which are a short
/// form of such files ([sluice.host.file.Values]). All errors are reported together.
@NullMarked
package sluice.host.file;

import org.jspecify.annotations.NullMarked;
