/// Opens the layers below a file system, which are, from bottom to top, [BlockDevices],
/// [BufferCaches] and [Journals].
package sluice.fs.storage;
