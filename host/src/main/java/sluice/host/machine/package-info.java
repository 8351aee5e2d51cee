/// What this machine offers a server, what is blocked and the fix: [sluice.host.machine.Doctor].
@NullMarked
package sluice.host.machine;

import org.jspecify.annotations.NullMarked;
