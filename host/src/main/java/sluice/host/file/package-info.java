/// Reading of TOML files, with all that is wrong in one at once: [sluice.host.file.TomlTables].
@NullMarked
package sluice.host.file;

import org.jspecify.annotations.NullMarked;
