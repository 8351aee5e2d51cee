package sluice.nfs.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// Tests the four procedures of the portmapper and its refusals.
class PortmapperTest {
  private final Portmapper portmapper = new Portmapper();
  private final RpcTestCalls calls = new RpcTestCalls(portmapper);

  private int port(int program, int version, int protocol) {
    return calls
        .call(
            Portmapper.NUMBER,
            2,
            Portmapper.GETPORT,
            to -> to.int32(program).int32(version).int32(protocol).int32(0))
        .results()
        .int32();
  }

  @Test
  void portsAreFound() {
    portmapper.register(portmapper, Portmapper.TCP, 111);
    portmapper.register(portmapper, Portmapper.TCP, 111);
    portmapper.register(portmapper, Portmapper.UDP, 112);
    assertThat(port(Portmapper.NUMBER, 2, Portmapper.TCP)).isEqualTo(111);
    assertThat(port(Portmapper.NUMBER, 2, Portmapper.UDP)).isEqualTo(112);
    assertThat(port(Portmapper.NUMBER, 4, Portmapper.UDP)).isEqualTo(112);
    assertThat(port(100_003, 3, Portmapper.UDP)).isZero();
    XdrReader all = calls.call(Portmapper.NUMBER, 2, Portmapper.DUMP).results();
    assertThat(all.bool()).isTrue();
    assertThat(all.int32()).isEqualTo(Portmapper.NUMBER);
    assertThat(all.int32()).isEqualTo(2);
    assertThat(all.int32()).isEqualTo(Portmapper.TCP);
    assertThat(all.int32()).isEqualTo(111);
    all.skip(20);
    assertThat(all.bool()).isFalse();
    assertThat(all.remaining()).isZero();
  }

  @Test
  void nobodyElseRegistersAndNothingIsCalledForOthers() {
    for (int procedure : new int[] {Portmapper.SET, Portmapper.UNSET}) {
      assertThat(
              calls
                  .call(Portmapper.NUMBER, 2, procedure, to -> to.int64(1).int64(2))
                  .results()
                  .bool())
          .isFalse();
    }
    assertThat(calls.call(Portmapper.NUMBER, 2, 5).status())
        .isEqualTo(RpcRefusal.PROCEDURE_UNAVAILABLE);
    assertThat(calls.call(Portmapper.NUMBER, 3, 3).status()).isEqualTo(2);
    assertThat(calls.call(Portmapper.NUMBER, 2, Portmapper.GETPORT).status())
        .isEqualTo(RpcRefusal.GARBAGE_ARGUMENTS);
  }
}
