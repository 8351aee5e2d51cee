/// Formats on the wire: one class for each header, with its diagram and accessors, and the checksum
/// of the internet protocols. No class here has state or trusts a length.
@NullMarked
package sluice.net.wire;

import org.jspecify.annotations.NullMarked;
