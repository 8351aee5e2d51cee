/// Reads TOML files, and command line options as their short form, and reports all errors together:
/// [sluice.host.file.TomlTables], [sluice.host.file.Values].
@NullMarked
package sluice.host.file;

import org.jspecify.annotations.NullMarked;
