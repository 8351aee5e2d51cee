/// Mounts, and block devices backed by files. For `sluice.fs` and the commands.
package sluice.sys.mount;
