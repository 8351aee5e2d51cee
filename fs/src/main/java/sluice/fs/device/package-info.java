/// Block devices: in memory (`MemoryDevice`), a file (`FileDevice` over an `ImageFile`), and a file
/// past the page cache with io_uring: `UringDevice` shares transfers among `UringLane`s.
/// `sluice.fs.storage.BlockDevices` opens them.
package sluice.fs.device;
