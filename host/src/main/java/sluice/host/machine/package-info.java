/// The features of this machine for a server, with the fix for blocked ones:
/// [sluice.host.machine.Doctor].
@NullMarked
package sluice.host.machine;

import org.jspecify.annotations.NullMarked;
