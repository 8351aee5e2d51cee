/// Implements the block devices: memory (`MemoryDevice`), a file (`FileDevice` on an `ImageFile`),
/// and a file with direct I/O and io_uring (`UringDevice`, which distributes transfers to
/// `UringLane`s). The devices are opened by `sluice.fs.storage.BlockDevices`.
package sluice.fs.device;
