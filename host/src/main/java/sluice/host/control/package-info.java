/// Control requests from one command to the process of another: `sluice reload`, `sluice domain
/// kill` and `domain replace`. [sluice.host.control.ControlSocket] answers the requests, and
/// [sluice.host.control.ControlClient] sends them.
@NullMarked
package sluice.host.control;

import org.jspecify.annotations.NullMarked;
