/// Mounts, and block devices made of files. For `sluice.fs` and the commands.
package sluice.sys.mount;
