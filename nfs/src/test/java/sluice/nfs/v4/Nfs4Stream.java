package sluice.nfs.v4;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import sluice.nfs.rpc.RpcServer;
import sluice.nfs.rpc.RpcServerRig;
import sluice.nfs.rpc.RpcTestCalls;
import sluice.nfs.rpc.RpcTestClient;
import sluice.nfs.rpc.XdrReader;
import sluice.nfs.rpc.XdrWriter;
import sluice.nfs.v4.Nfs4TestClient.Op;

/// An NFSv4.1 server behind TCP, and a session that uses all its slots at once. Not thread-safe.
public final class Nfs4Stream implements AutoCloseable {
  static final int SLOTS = 64;

  /// The reply to a COMPOUND, positioned at the result of its first operation.
  record Answer(int xid, int status, int count, XdrReader in) {}

  public final Nfs4TestClient client;
  public final RpcServer server;
  private final RpcTestClient tcp;
  private final ByteArrayOutputStream waiting = new ByteArrayOutputStream();

  public Nfs4Stream(Nfs4Rig rig) throws IOException {
    client = new Nfs4TestClient(rig.calls(), "stream");
    client.slots = SLOTS;
    client.connect();
    client.reclaimComplete();
    server = RpcServerRig.serve(false, rig.program);
    tcp = new RpcTestClient(server.server().port());
  }

  /// Returns a record with operations after a SEQUENCE.
  public byte[] record(int xid, int slot, int sequence, Op... ops) {
    XdrWriter to = new XdrWriter(1 << 20);
    to.int32(xid).int32(0).int32(2).int32(100_003).int32(4).int32(1);
    RpcTestCalls.credentials(to, 0, 0, "client");
    to.opaque(Nfs4TestClient.bytes("tag")).int32(1).int32(1 + ops.length);
    client.sequence(slot, sequence).write(to);
    for (Op op : ops) {
      op.write(to);
    }
    return RpcTestClient.record(to.toBytes());
  }

  /// Adds the next request of a slot, which [#flush] sends.
  void add(int xid, int slot, Op... ops) {
    waiting.writeBytes(record(xid, slot, ++client.sequences[slot], ops));
  }

  /// Adds the last request of a slot again.
  void addAgain(int xid, int slot, Op... ops) {
    waiting.writeBytes(record(xid, slot, client.sequences[slot], ops));
  }

  void flush() throws IOException {
    tcp.send(waiting.toByteArray());
    waiting.reset();
  }

  /// Returns true if a reply has arrived.
  boolean answered() throws IOException {
    return tcp.socket.getInputStream().available() > 0;
  }

  Answer receive() throws IOException {
    byte[] reply = tcp.receive();
    XdrReader in = RpcTestCalls.reader(reply, RpcTestCalls.RESULTS_AT);
    int status = in.int32();
    in.opaque(1024);
    return new Answer(ByteBuffer.wrap(reply).getInt(), status, in.int32(), in);
  }

  @Override
  public void close() throws IOException {
    tcp.close();
    server.close();
  }
}
