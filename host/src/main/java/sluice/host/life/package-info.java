/// The life of a process: its parts ([sluice.host.life.Part]), signals and the service manager.
@NullMarked
package sluice.host.life;

import org.jspecify.annotations.NullMarked;
