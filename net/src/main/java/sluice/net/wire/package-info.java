/// The packet formats: one class per header, with its diagram and accessors, and the internet
/// checksum. The classes have no state and trust no length.
@NullMarked
package sluice.net.wire;

import org.jspecify.annotations.NullMarked;
