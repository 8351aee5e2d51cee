/// The simulated kernel: sockets, time, faults and threads that depend only on a seed, behind the
/// interfaces of the engines and of the poller.
@NullMarked
package sluice.testkit.sim;

import org.jspecify.annotations.NullMarked;
