/// The features of this machine that are relevant for a server, and the fixes for blocked features
/// ([sluice.host.machine.Doctor]).
@NullMarked
package sluice.host.machine;

import org.jspecify.annotations.NullMarked;
