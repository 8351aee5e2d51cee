/// The command `sluice fs`, which is implemented by `FsCommand` and one class per subcommand.
package sluice.cli.fs;
