/// The operations of iozone on Sluice's file system and on the kernel's: `IozoneBench`;
/// `IozoneMain` is the process that runs them.
package sluice.bench.iozone;
