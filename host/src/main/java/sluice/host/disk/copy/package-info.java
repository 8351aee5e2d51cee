/// Copies files and archives into an image and out of it.
@NullMarked
package sluice.host.disk.copy;

import org.jspecify.annotations.NullMarked;
