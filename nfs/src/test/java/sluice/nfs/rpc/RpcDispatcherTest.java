package sluice.nfs.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.nfs.rpc.RpcTestCalls.Reply;

/// Tests headers of calls and replies, refusals, and both ways to answer.
class RpcDispatcherTest {
  /// Adds two numbers: procedure 1 answers at once if the first number is even, procedure 2 fails,
  /// procedure 3 returns the client.
  private static final class Adder implements RpcProgram {
    @Override
    public int number() {
      return 400_001;
    }

    @Override
    public int lowestVersion() {
      return 2;
    }

    @Override
    public int highestVersion() {
      return 3;
    }

    @Override
    public boolean tryCall(RpcCall call, XdrReader arguments, XdrWriter results) {
      if (call.procedure() != 1) {
        return false;
      }
      int first = arguments.int32();
      results.int32(first + arguments.int32());
      return (first & 1) == 0;
    }

    @Override
    public void call(RpcCall call, XdrReader arguments, XdrWriter results) throws IOException {
      switch (call.procedure()) {
        case 1 -> results.int32(arguments.int32() + arguments.int32());
        case 2 -> {
          results.int32(1);
          throw new IOException("as the test wants it");
        }
        case 3 -> {
          Credentials by = call.credentials();
          results.int32(by.flavor()).int32(by.uid()).int32(by.gid()).int32(by.groups().length);
          results.int32(call.checksum()).int32(call.version()).int32(call.xid());
        }
        case 4 -> throw new RpcRefusal(RpcRefusal.AUTH_TOOWEAK);
        default -> throw new RpcRefusal(RpcRefusal.PROCEDURE_UNAVAILABLE);
      }
    }
  }

  private final RpcTestCalls calls = new RpcTestCalls(new Adder());

  @AfterEach
  void close() {
    calls.close();
  }

  @Test
  void callsAreAnsweredAtOnceOrByAWorker() {
    Reply fast = calls.call(400_001, 2, 1, to -> to.int32(2).int32(3));
    assertThat(fast.fast()).isTrue();
    assertThat(fast.results().int32()).isEqualTo(5);
    Reply slow = calls.call(400_001, 3, 1, to -> to.int32(3).int32(3));
    assertThat(slow.fast()).isFalse();
    assertThat(slow.results().int32()).isEqualTo(6);
    assertThat(slow.results().remaining()).isEqualTo(4);
    Reply forced = calls.slowly(true).call(400_001, 2, 1, to -> to.int32(2).int32(3));
    assertThat(forced.fast()).isFalse();
    assertThat(forced.bytes()).hasSameSizeAs(fast.bytes());
  }

  @Test
  void procedureZeroIsAnsweredForEveryProgram() {
    Reply reply = calls.call(400_001, 2, 0);
    assertThat(reply.status()).isZero();
    assertThat(reply.results().remaining()).isZero();
  }

  @Test
  void refusalsSayWhy() {
    assertThat(calls.call(400_002, 1, 1).status()).isEqualTo(1);
    Reply mismatch = calls.call(400_001, 4, 1);
    assertThat(mismatch.status()).isEqualTo(2);
    XdrReader versions = RpcTestCalls.reader(mismatch.bytes(), 24);
    assertThat(versions.int32()).isEqualTo(2);
    assertThat(versions.int32()).isEqualTo(3);
    assertThat(calls.call(400_001, 2, 9).status()).isEqualTo(3);
    assertThat(calls.call(400_001, 2, 1, to -> to.int32(1)).status()).isEqualTo(4);
    assertThat(calls.call(400_001, 2, 2).status()).isEqualTo(5);
    assertThat(calls.call(400_001, 2, 2).bytes()).hasSize(24);
    Reply weak = calls.call(400_001, 2, 4);
    assertThat(weak.status()).isEqualTo(-2);
    assertThat(RpcTestCalls.reader(weak.bytes(), 16).int32()).isEqualTo(5);
  }

  @Test
  void credentialsAreUnderstood() {
    XdrReader caller = calls.as(7, 8, 9, 10).xid(77).call(400_001, 2, 3).results();
    assertThat(caller.int32()).isEqualTo(Credentials.AUTH_SYS);
    assertThat(caller.int32()).isEqualTo(7);
    assertThat(caller.int32()).isEqualTo(8);
    assertThat(caller.int32()).isEqualTo(2);
    caller.skip(4);
    assertThat(caller.int32()).isEqualTo(2);
    assertThat(caller.int32()).isEqualTo(77);
    XdrReader nobody = calls.as(Credentials.NONE).call(400_001, 2, 3).results();
    assertThat(nobody.int32()).isEqualTo(Credentials.AUTH_NONE);
    XdrReader again = calls.as(7, 8, 9).call(400_001, 2, 3).results();
    again.skip(12);
    assertThat(again.int32()).isEqualTo(1);
  }

  @Test
  void theSameBytesGiveTheSameCredentials() {
    CredentialCache cache = new CredentialCache();
    Credentials first = cache.read(opaqueAuth(1, 5));
    assertThat(cache.read(opaqueAuth(2, 5))).isSameAs(first);
    assertThat(cache.read(opaqueAuth(1, 6)).gid()).isEqualTo(6);
    assertThat(cache.read(opaqueAuth(1, 5)).gid()).isEqualTo(5);
  }

  private static XdrReader opaqueAuth(int stamp, int gid) {
    XdrWriter to = new XdrWriter(500);
    Credentials.sys(4, gid, "machine").encode(to);
    to.patch(8, stamp);
    return RpcTestCalls.reader(to.toBytes(), 0);
  }

  @Test
  void malformedCredentialsAreDenied() {
    for (int length : new int[] {-1, 3, 404, Integer.MAX_VALUE, 8}) {
      XdrWriter to = header(2);
      to.int32(Credentials.AUTH_SYS).int32(length).int32(0).int32(1 << 20).int64(0).int64(0);
      Reply reply = answered(to.toBytes());
      assertThat(reply.status()).isEqualTo(-2);
      assertThat(RpcTestCalls.reader(reply.bytes(), 16).int32()).isEqualTo(1);
    }
    XdrWriter gss = header(2).int32(6).int32(0).int64(0);
    Reply reply = answered(gss.toBytes());
    assertThat(RpcTestCalls.reader(reply.bytes(), 16).int32()).isEqualTo(5);
  }

  @Test
  void otherVersionsOfRpcAreDenied() {
    Reply reply = answered(header(3).int64(0).int64(0).toBytes());
    assertThat(reply.status()).isEqualTo(-1);
    assertThat(reply.bytes()).hasSize(24);
  }

  @Test
  void whatIsNoCallHasNoReply() {
    assertThat(calls.send(new byte[0])).isNull();
    assertThat(calls.send(new byte[7])).isNull();
    assertThat(calls.send(new XdrWriter(100).int32(1).int32(1).int64(0).toBytes())).isNull();
  }

  @Test
  void anyBytesAreAnsweredOrIgnored() {
    long seed = Long.getLong("sluice.seed", 1);
    Random random = new Random(seed);
    for (int round = 0; round < 20_000; round++) {
      XdrWriter to = header(2);
      calls.as(random.nextInt(), 1, random.nextInt());
      RpcTestCalls.credentials(to, 1, 2, "m", 3);
      byte[] message = to.int32(1).int32(2).toBytes();
      int changes = 1 + random.nextInt(4);
      for (int i = 0; i < changes; i++) {
        message[8 + random.nextInt(message.length - 8)] = (byte) random.nextInt();
      }
      int length = 8 + random.nextInt(message.length - 8 + 1);
      Reply reply = answered(Arrays.copyOf(message, length));
      assertThat(reply.status()).isBetween(-2, 5);
      assertThat(RpcTestCalls.reader(reply.bytes(), 0).int32()).isEqualTo(1);
    }
  }

  private Reply answered(byte[] message) {
    return Objects.requireNonNull(calls.send(message), "this was taken for no call");
  }

  private static XdrWriter header(int rpcVersion) {
    return new XdrWriter(1000).int32(1).int32(0).int32(rpcVersion).int32(400_001).int32(2).int32(1);
  }
}
