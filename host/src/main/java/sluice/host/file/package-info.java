/// Reading of TOML files, and of options as their short form, with all that is wrong at once:
/// [sluice.host.file.TomlTables], [sluice.host.file.Values].
@NullMarked
package sluice.host.file;

import org.jspecify.annotations.NullMarked;
