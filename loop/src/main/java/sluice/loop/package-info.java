/// Event loops with their connections, and the protocols and interruptlets that answer them. The
/// packages are listed from the top; each imports only those below it:
///
/// ```
/// server     several loops that serve the same addresses: Server, the      → loop, tls, readiness,
///            choice of an engine (Engines), Watchdog and its events          uring and below
/// datagrams  Datagrams, and interruptlets for them                         → loop and below
/// loop       Loop, Connection, Listener, Protocol, Interruptlets           → turn, input, output,
///                                                                            tls and below
/// ─────────────────────────────────────────────────────────────────────────────────────────────
/// uring      the engine on io_uring                                        → sockets, engine
/// readiness  the engines on epoll, poll and the JDK's channels             → sockets, engine
/// poller     Poller: waiting for descriptors of one's own                  → engine
/// turn       the tasks, time and queues of a loop's turn                   → sockets, engine
/// input      unfinished input, and what handlers keep of it                → engine
/// output     what a connection has still to send                           → engine
/// tls        certificates and keys: TlsContext                             → sockets
/// ─────────────────────────────────────────────────────────────────────────────────────────────
/// sockets    sockets of the kernel; what is done without descriptors       → engine
/// engine     what an engine and a transport are: Engine, Transport, chunks
///            of the arena, tokens                                          → nothing of loop
/// counters   counters, and the file that shows them                        → nothing of loop
/// ```
///
/// `uring`, `readiness`, `turn`, `input`, `output` and `sockets` are not exported to users.
package sluice.loop;
