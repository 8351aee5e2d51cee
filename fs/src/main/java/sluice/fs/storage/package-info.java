/// Opens the layers below a file system, bottom first: [BlockDevices], [BufferCaches], [Journals].
package sluice.fs.storage;
