/// Requests of one command to the process of another: `sluice reload`, `sluice domain kill` and
/// `domain replace`. [sluice.host.control.ControlSocket] answers,
/// [sluice.host.control.ControlClient] asks.
@NullMarked
package sluice.host.control;

import org.jspecify.annotations.NullMarked;
