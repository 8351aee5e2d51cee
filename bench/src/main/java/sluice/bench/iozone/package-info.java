/// iozone's operations on Sluice's file system and on the kernel's: `IozoneBench`; `IozoneMain` is
/// the process that does them.
package sluice.bench.iozone;
