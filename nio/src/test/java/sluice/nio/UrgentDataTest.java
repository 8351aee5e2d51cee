package sluice.nio;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// TCP's urgent byte.
class UrgentDataTest extends Scenario {
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void inLineItIsAnOrdinaryByte(boolean selected) throws Exception {
    Link link = link();
    link.near().socket().setOOBInline(true);
    Selector selector = selector();
    if (selected) {
      SelectionKey key = register(link.near(), selector, OP_READ);
      selector.selectNow();
      send(link.far(), "a");
      link.far().sendUrgentData('b');
      send(link.far(), "c");
      awaitReady(selector, key, OP_READ);
    } else {
      send(link.far(), "a");
      link.far().sendUrgentData('b');
      send(link.far(), "c");
    }
    assertThat(text(readFully(link.near(), 3))).isEqualTo("abc");
  }

  @Test
  void outOfLineItIsLeftOut() throws Exception {
    Link link = link();
    Selector selector = selector();
    SelectionKey key = register(link.near(), selector, OP_READ);
    selector.selectNow();
    send(link.far(), "a");
    link.far().sendUrgentData('!');
    send(link.far(), "c");
    awaitReady(selector, key, OP_READ);
    assertThat(text(readFully(link.near(), 2))).isEqualTo("ac");
    link.far().sendUrgentData('?');
    send(link.far(), "d");
    link.far().shutdownOutput();
    assertThat(text(readFully(link.near(), 2))).isEqualTo("d");
  }

  @Test
  void theAdaptorSendsIt() throws Exception {
    Link link = link();
    link.far().setOOBInline(true);
    writeFully(link.near(), text("x"));
    link.near().socket().sendUrgentData('y');
    writeFully(link.near(), text("z"));
    assertThat(text(receive(link.far(), 3))).isEqualTo("xyz");
  }

  @Test
  void anUrgentByteAloneDoesNotMakeASelectorSpin() throws Exception {
    Link link = link();
    Selector selector = selector();
    SelectionKey key = register(link.near(), selector, OP_READ);
    selector.selectNow();
    link.far().sendUrgentData('!');
    // It may be reported; a read then finds nothing or the byte, and there the matter ends.
    for (int i = 0; i < 10 && isReady(selector, key, 20); i++) {
      assertThat(link.near().read(ByteBuffer.allocate(4))).isNotEqualTo(-1);
    }
    send(link.far(), "after");
    awaitReady(selector, key, OP_READ);
    assertThat(text(readFully(link.near(), 5))).endsWith("after");
  }
}
