package sluice.sys.fabric;

import sluice.sys.call.Layout;

/// The structure `struct fi_ops_tagged`, which contains the functions for tagged messages.
///
/// This class contains the offsets of the members of a libfabric structure and is stateless. The
/// memory belongs to libfabric, or to the caller that fills it.
///
/// ```c
/// struct fi_ops_tagged {
///   size_t size; // functions, each a pointer:
///   (*recv)(); (*recvv)(); (*recvmsg)(); (*send)(); (*sendv)(); (*sendmsg)();
///   (*inject)(); (*senddata)(); (*injectdata)();
/// };
/// ```
final class FiOpsTagged {
  static final Layout LAYOUT = Layout.of("struct fi_ops_tagged");
  static final int SIZE = LAYOUT.u64("size");
  static final int RECV = LAYOUT.u64("recv");
  static final int RECVV = LAYOUT.u64("recvv");
  static final int RECVMSG = LAYOUT.u64("recvmsg");
  static final int SEND = LAYOUT.u64("send");
  static final int SENDV = LAYOUT.u64("sendv");
  static final int SENDMSG = LAYOUT.u64("sendmsg");
  static final int INJECT = LAYOUT.u64("inject");
  static final int SENDDATA = LAYOUT.u64("senddata");
  static final int INJECTDATA = LAYOUT.u64("injectdata");

  private FiOpsTagged() {}
}
