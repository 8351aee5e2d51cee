/// Makes an image of ext2: [Ext2Format] with [FormatOptions].
package sluice.fs.ext2.format;
