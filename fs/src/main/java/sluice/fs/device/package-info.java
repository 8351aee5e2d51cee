/// The block devices: memory (`MemoryDevice`), a file (`FileDevice` on an `ImageFile`), and a file
/// with direct I/O and io_uring (`UringDevice`, which distributes transfers to `UringLane`s).
/// `sluice.fs.storage.BlockDevices` opens them.
package sluice.fs.device;
