/// Files that are copied into an image and out of it, one by one and as archives.
@NullMarked
package sluice.host.disk.copy;

import org.jspecify.annotations.NullMarked;
