package sluice.http.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.http.clients.ProxyHeader.State;
import sluice.http.parse.Bytes;
import sluice.http.rules.AddressRange;

/// The PROXY protocol as its specification has it, in pieces of every size, and what is none.
final class ProxyHeaderTest {
  private static final byte[] SIGNATURE = {13, 10, 13, 10, 0, 13, 10, 'Q', 'U', 'I', 'T', 10};
  private static final byte[] BEHIND = Bytes.latin1("GET / HTTP/1.1\r\n");

  /// Version 2.
  ///
  /// @param command 0x20 for LOCAL, 0x21 for PROXY
  /// @param family and transport
  static byte[] binary(int command, int family, byte[] block) {
    ByteBuffer bytes = ByteBuffer.allocate(16 + block.length);
    bytes.put(SIGNATURE).put((byte) command).put((byte) family).putShort((short) block.length);
    return bytes.put(block).array();
  }

  private static byte[] four() {
    return new byte[] {(byte) 192, 0, 2, 7, 10, 0, 0, 1, 0x12, 0x34, 1, (byte) 0xbb};
  }

  private static byte[] joined(byte[] first, byte[] second) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.writeBytes(first);
    all.writeBytes(second);
    return all.toByteArray();
  }

  /// Shows a header, with a request behind it, cut at every byte and in single bytes.
  ///
  /// @param address null for none
  private static void requireRead(byte[] header, @Nullable String address) {
    byte[] all = joined(header, BEHIND);
    for (int cut = 0; cut <= all.length; cut++) {
      ProxyHeader read = new ProxyHeader();
      int taken = feed(read, Arrays.copyOf(all, cut));
      if (taken == cut && cut < header.length) {
        assertThat(read.take(Bytes.view(new byte[0]))).isEqualTo(State.INCOMPLETE);
      }
      taken += feed(read, Arrays.copyOfRange(all, cut, all.length));
      requireState(read, address);
      assertThat(taken).isEqualTo(header.length);
    }
    ProxyHeader slow = new ProxyHeader();
    for (int i = 0; i < header.length; i++) {
      State state = slow.take(Bytes.view(new byte[] {header[i]}));
      assertThat(state == State.INCOMPLETE).isEqualTo(i < header.length - 1);
    }
    requireState(slow, address);
  }

  private static int feed(ProxyHeader header, byte[] bytes) {
    State _ = header.take(Bytes.view(bytes));
    return header.taken();
  }

  private static void requireState(ProxyHeader read, @Nullable String address) {
    State state = read.take(Bytes.view(new byte[0]));
    if (address == null) {
      assertThat(state).isEqualTo(State.NO_ADDRESS);
      return;
    }
    assertThat(state).isEqualTo(State.ADDRESS);
    AddressRange range = AddressRange.of(address);
    assertThat(read.high()).isEqualTo(range.high());
    assertThat(read.low()).isEqualTo(range.low());
  }

  @ParameterizedTest
  @CsvSource({
    "PROXY TCP4 192.0.2.7 10.0.0.1 56324 443, 192.0.2.7",
    "PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535, 255.255.255.255",
    "PROXY TCP6 2001:db8::1 ::1 1 0, 2001:db8::1",
    "PROXY TCP6 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff ::ffff:10.0.0.1 65535 65535,"
        + "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "PROXY TCP6 ::ffff:192.0.2.7 ::1 1 0, 192.0.2.7",
    "PROXY UNKNOWN,",
    "PROXY UNKNOWN whatever it may say,",
  })
  void versionOne(String line, @Nullable String address) {
    requireRead(Bytes.latin1(line + "\r\n"), address);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET / HTTP/1.1\r\n",
        "PROXY TCP4 192.0.2.7 10.0.0.1 56324\r\n",
        "PROXY TCP4 192.0.2.7 10.0.0.1 56324 443 \r\n",
        "PROXY TCP4 192.0.2.7  10.0.0.1 56324 443\r\n",
        "PROXY TCP4 192.0.2.256 10.0.0.1 56324 443\r\n",
        "PROXY TCP4 192.0.2 10.0.0.1 56324 443\r\n",
        "PROXY TCP4 192.0.02.7 10.0.0.1 56324 443\r\n",
        "PROXY TCP4 name.example 10.0.0.1 56324 443\r\n",
        "PROXY TCP4 ::1 ::1 56324 443\r\n",
        "PROXY TCP4 all all 1 1\r\n",
        "PROXY TCP4 10.0.0.0/8 10.0.0.1 1 1\r\n",
        "PROXY TCP4 192.0.2.7 10.0.0.1 65536 443\r\n",
        "PROXY TCP4 192.0.2.7 10.0.0.1 01 443\r\n",
        "PROXY TCP4 192.0.2.7 10.0.0.1 -1 443\r\n",
        "PROXY TCP6 192.0.2.7 10.0.0.1 1 443\r\n",
        "PROXY TCP6 1::2::3 ::1 1 443\r\n",
        "PROXY TCP6 ::%1 ::1 1 443\r\n",
        "PROXY UDP4 192.0.2.7 10.0.0.1 1 443\r\n",
        "PROXY UNKNOWNS\r\n",
        "PROXY \r\n",
        "PROXY\r\n",
        "proxy TCP4 192.0.2.7 10.0.0.1 1 443\r\n",
        "PROXY TCP4 192.0.2.7 10.0.0.1 1 443\n",
        "\r\n\r\nPROXY",
      })
  void whatIsNoVersionOne(String line) {
    requireMalformed(Bytes.latin1(line));
    requireMalformed(Bytes.latin1("PROXY UNKNOWN " + "x".repeat(92) + "\r\n"));
  }

  private static void requireMalformed(byte[] bytes) {
    for (int cut = 0; cut <= bytes.length; cut++) {
      ProxyHeader header = new ProxyHeader();
      State _ = header.take(Bytes.view(Arrays.copyOf(bytes, cut)));
      assertThat(header.take(Bytes.view(Arrays.copyOfRange(bytes, cut, bytes.length))))
          .as("cut at " + cut)
          .isEqualTo(State.MALFORMED);
    }
  }

  @Test
  void versionTwo() {
    byte[] six = new byte[36];
    six[0] = 0x20;
    six[1] = 1;
    six[15] = 5;
    requireRead(binary(0x21, 0x11, four()), "192.0.2.7");
    requireRead(binary(0x21, 0x21, six), "2001::5");
    requireRead(binary(0x21, 0x11, joined(four(), new byte[] {4, 0, 1, 9})), "192.0.2.7");
    requireRead(binary(0x21, 0x31, new byte[216]), null);
    requireRead(binary(0x21, 0x00, new byte[0]), null);
    requireRead(binary(0x21, 0x12, four()), null); // datagrams do not come here
    requireRead(binary(0x20, 0x00, new byte[0]), null);
    requireRead(binary(0x20, 0x11, four()), null);
    requireRead(binary(0x20, 0xff, new byte[3]), null);
  }

  @Test
  void furtherFieldsAreThrownAwayHoweverLong() {
    byte[] long64 = binary(0x21, 0x11, Arrays.copyOf(four(), 0xffff));
    ProxyHeader header = new ProxyHeader();
    for (int at = 0; at < long64.length; at += 1000) {
      int end = Math.min(long64.length, at + 1000);
      State state = header.take(Bytes.view(Arrays.copyOfRange(long64, at, end)));
      assertThat(state).isEqualTo(end == long64.length ? State.ADDRESS : State.INCOMPLETE);
    }
    requireState(header, "192.0.2.7");
  }

  @Test
  void whatIsNoVersionTwo() {
    requireMalformed(binary(0x11, 0x11, four()));
    requireMalformed(binary(0x31, 0x11, four()));
    requireMalformed(binary(0x22, 0x11, four()));
    requireMalformed(binary(0x21, 0x41, four()));
    requireMalformed(binary(0x21, 0x13, four()));
    requireMalformed(binary(0x21, 0x11, Arrays.copyOf(four(), 11)));
    requireMalformed(binary(0x21, 0x21, new byte[35]));
    requireMalformed(binary(0x21, 0x31, new byte[215]));
    for (int i = 1; i < SIGNATURE.length; i++) {
      byte[] broken = binary(0x21, 0x11, four());
      broken[i] ^= 0x40;
      requireMalformed(broken);
    }
  }

  @Test
  void anyBytesEndInAStateAndKeepWithinTheirLength() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<byte[]> seeds =
        List.of(
            binary(0x21, 0x11, four()),
            Bytes.latin1("PROXY TCP4 192.0.2.7 10.0.0.1 56324 443\r\n"),
            Bytes.latin1("PROXY TCP6 2001:db8::1 ::1 1 0\r\n"));
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes = joined(seeds.get(random.nextInt(seeds.size())), BEHIND);
      for (int i = random.nextInt(4); i > 0; i--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      ProxyHeader whole = new ProxyHeader();
      State expected = whole.take(Bytes.view(bytes));
      ProxyHeader pieces = new ProxyHeader();
      int at = 0;
      int total = 0;
      State state = State.INCOMPLETE;
      while (at < bytes.length) {
        int end = at + 1 + random.nextInt(bytes.length - at);
        state = pieces.take(Bytes.view(Arrays.copyOfRange(bytes, at, end)));
        total += pieces.taken();
        at = end;
      }
      assertThat(state).as("seed %d, round %d", seed, round).isEqualTo(expected);
      assertThat(total).as("seed %d, round %d", seed, round).isEqualTo(whole.taken());
    }
  }
}
