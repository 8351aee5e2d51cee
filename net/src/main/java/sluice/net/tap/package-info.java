/// Transfers the frames of a TAP device ([TapPort]).
@NullMarked
package sluice.net.tap;

import org.jspecify.annotations.NullMarked;
