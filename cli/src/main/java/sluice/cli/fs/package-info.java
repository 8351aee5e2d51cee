/// `sluice fs`: `FsCommand` and a class for each of its commands.
package sluice.cli.fs;
