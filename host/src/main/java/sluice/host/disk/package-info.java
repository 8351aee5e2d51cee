/// Disks that are opened, mounted and exported: [sluice.host.disk.Disk].
@NullMarked
package sluice.host.disk;

import org.jspecify.annotations.NullMarked;
