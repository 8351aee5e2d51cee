/// `Socket` and `ServerSocket` whose bytes a loop receives.
///
/// ```
/// ISocket, IServerSocket ──▶ StreamImpl, ServerImpl (SocketImpl: options, bind, connect, accept)
///                                 │
///                            SharedStream ◀── IStreamProtocol ◀── ISocketLoop (one Loop)
///                            ├─ Arrivals: what came and was not read
///                            ├─ FastViews: leases of the application
///                            └─ SendQueue over SendPool: what goes out
/// ```
package sluice.isocket;
