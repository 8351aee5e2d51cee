/// The lifecycle of a process, which includes its parts ([sluice.host.life.Part]), signals, and the
/// service manager.
@NullMarked
package sluice.host.life;

import org.jspecify.annotations.NullMarked;
