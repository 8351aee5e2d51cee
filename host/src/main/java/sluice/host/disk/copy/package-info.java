/// Copies files and archives to and from an image.
@NullMarked
package sluice.host.disk.copy;

import org.jspecify.annotations.NullMarked;
