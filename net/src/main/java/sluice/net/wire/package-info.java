/// The packet formats. There is one class for each header, with a diagram and accessors, and a
/// class for the internet checksum. All classes are stateless and treat lengths in packets as
/// untrusted.
@NullMarked
package sluice.net.wire;

import org.jspecify.annotations.NullMarked;
