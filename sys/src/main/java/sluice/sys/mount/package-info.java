/// Provides mounts, and block devices that are backed by files. It is used by `sluice.fs` and the
/// commands.
package sluice.sys.mount;
