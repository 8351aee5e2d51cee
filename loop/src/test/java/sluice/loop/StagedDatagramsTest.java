package sluice.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import sluice.loop.datagrams.DatagramPeer;
import sluice.loop.datagrams.Datagrams;
import sluice.loop.datagrams.UserDatagramSocket;
import sluice.loop.datagrams.UserDatagrams;

/// When datagrams leave that tasks of a loop stage, outside of the port's handler.
final class StagedDatagramsTest {
  private static final DatagramPeer PEER = peer();

  private final List<String> calls = new ArrayList<>();
  private LoopRig rig;
  private Datagrams port;

  private static DatagramPeer peer() {
    return DatagramPeer.of((Inet4Address) InetAddress.getLoopbackAddress(), 7);
  }

  private final class Socket implements UserDatagramSocket {
    @Override
    public InetSocketAddress address() {
      return new InetSocketAddress(7);
    }

    @Override
    public boolean send(MemorySegment memory, long at, int length, int address, int port) {
      return calls.add("send");
    }

    @Override
    public void flush() {
      calls.add("flush");
    }

    @Override
    public void close() {
      calls.add("close");
    }
  }

  @BeforeEach
  void open() throws IOException {
    rig = new LoopRig((connection, input) -> input.length());
    port =
        new UserDatagrams(
            rig.loop, new Socket(), (at, datagram, from) -> at.to(PEER).put((byte) 1).send());
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private void sendLater(int count) {
    rig.loop.execute(() -> {
      for (int i = 0; i < count; i++) {
        port.to(PEER).put((byte) i).send();
      }
    });
  }

  @Test
  void whatAllTasksOfATurnStageLeavesTogether() {
    sendLater(2);
    sendLater(1);
    rig.loop.turn(0);
    assertThat(calls).containsExactly("send", "send", "send");
    rig.loop.turn(0); // before it waits
    assertThat(calls).endsWith("flush").hasSize(4);
    rig.loop.turn(0);
    assertThat(calls).hasSize(4);
    sendLater(1);
    rig.turns(2);
    assertThat(calls).endsWith("send", "flush").hasSize(6);
  }

  @Test
  void aFlushSendsAtOnce() {
    port.to(PEER).put((byte) 1).send();
    assertThat(calls).containsExactly("send");
    port.flush();
    assertThat(calls).containsExactly("send", "flush");
  }

  @Test
  void whatIsStagedLeavesBeforeThePortCloses() {
    port.to(PEER).put((byte) 1).send();
    port.close();
    assertThat(calls).containsExactly("send", "flush", "close");
    rig.turns(2);
    assertThat(calls).hasSize(3);
  }

  /// What the handler stages leaves with its batch, by the stack that has called it.
  @Test
  void theHandlersAnswersWaitForTheirBatch() {
    ((UserDatagrams) port).received(MemorySegment.ofArray(new byte[4]), 0, 4, 1, 1);
    rig.turns(2);
    assertThat(calls).containsExactly("send");
  }
}
