/// Requests of one command to the process of another: `sluice reload`, `sluice domain kill` and
/// `domain replace`. [sluice.cli.control.ControlSocket] answers, [sluice.cli.control.ControlClient]
/// asks.
@NullMarked
package sluice.host.control;

import org.jspecify.annotations.NullMarked;
