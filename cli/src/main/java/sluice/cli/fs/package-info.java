/// The command `sluice fs`: `FsCommand` and one class per subcommand.
package sluice.cli.fs;
