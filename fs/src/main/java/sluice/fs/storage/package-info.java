/// Opens what a file system stands on, bottom first: [BlockDevices], [BufferCaches], [Journals].
package sluice.fs.storage;
