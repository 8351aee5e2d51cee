/// Creates ext2 images: [Ext2Format] with [FormatOptions].
package sluice.fs.ext2.format;
