package sluice.http.clients;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Pattern;
import sluice.http.rules.AddressRange;
import sluice.memory.View;

/// The header that a proxy sends before the bytes of its client: the PROXY protocol, versions 1 and
/// 2 (haproxy, `proxy-protocol.txt`). Owned by the thread of its connection's loop.
///
/// ```
/// 1:  PROXY TCP4 192.0.2.1 198.51.100.1 56324 443 \r\n      107 bytes at most
/// 2:  signature 12 │ 2, command │ family, transport │ length 2 │ addresses │ more fields
/// ```
///
/// At most [#MOST_KEPT] bytes are buffered. The additional fields of version 2 (up to 64 KB) are
/// counted and discarded as they arrive. If a proxy connects on its own behalf (`LOCAL`), or if the
/// family is `UNKNOWN` or not IP, the peer address of the connection is used.
public final class ProxyHeader {
  private static final byte[] SIGNATURE = {13, 10, 13, 10, 0, 13, 10, 'Q', 'U', 'I', 'T', 10};
  private static final byte[] WORD = {'P', 'R', 'O', 'X', 'Y', ' '};

  /// The maximum length of a version 1 header including the end of line.
  private static final int MOST_KEPT = 107;

  private static final int FIXED = 16;
  private static final int IPV4 = 0x1;
  private static final int IPV6 = 0x2;
  private static final int UNIX = 0x3;
  private static final int STREAM = 0x1;
  private static final int MOST_TRANSPORT = 0x2;

  private static final Pattern PORT = Pattern.compile("0|[1-9][0-9]{0,4}");
  private static final Pattern DOTTED =
      Pattern.compile("(0|[1-9][0-9]{0,2})(\\.(0|[1-9][0-9]{0,2})){3}");
  private static final Pattern COLONS = Pattern.compile("[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");

  /// The state of the parser.
  public enum State {
    INCOMPLETE,
    /// The header is complete and contains an address.
    ADDRESS,
    /// The header is complete and contains no address.
    NO_ADDRESS,
    /// The bytes are not a valid header.
    MALFORMED
  }

  private final byte[] kept = new byte[MOST_KEPT];
  private int count;

  /// The number of bytes of version 2 that remain to be discarded.
  private int skip;

  private State pending = State.INCOMPLETE;
  private State state = State.INCOMPLETE;
  private int taken;
  private long high;
  private long low;

  /// Consumes bytes up to the end of the header.
  public State take(View bytes) {
    taken = 0;
    int length = bytes.length();
    while (state == State.INCOMPLETE && taken < length) {
      if (skip > 0) {
        int some = Math.min(skip, length - taken);
        taken += some;
        skip -= some;
        state = skip == 0 ? pending : State.INCOMPLETE;
      } else {
        kept[count++] = bytes.get(taken++);
        state = kept[0] == SIGNATURE[0] ? binary() : text();
      }
    }
    return state;
  }

  /// Returns the number of bytes that were consumed by the last call of [#take].
  public int taken() {
    return taken;
  }

  /// Returns the first half of the client's address in IPv6 form.
  public long high() {
    return high;
  }

  /// Returns the second half of the client's address in IPv6 form.
  public long low() {
    return low;
  }

  // ---- version 1 ----------------------------------------------------------------------------

  private State text() {
    int compared = Math.min(count, WORD.length);
    if (!Arrays.equals(kept, 0, compared, WORD, 0, compared)) {
      return State.MALFORMED;
    }
    if (count < 2 || kept[count - 1] != '\n' || kept[count - 2] != '\r') {
      boolean broken = kept[count - 1] == '\n' || count == MOST_KEPT;
      return broken ? State.MALFORMED : State.INCOMPLETE;
    }
    int length = count - 2 - WORD.length;
    if (length < 0) {
      return State.MALFORMED;
    }
    String line = new String(kept, WORD.length, length, StandardCharsets.ISO_8859_1);
    if (line.equals("UNKNOWN") || line.startsWith("UNKNOWN ")) {
      return State.NO_ADDRESS;
    }
    String[] words = line.split(" ", -1);
    boolean four = words[0].equals("TCP4");
    if (words.length != 5 || !(four || words[0].equals("TCP6"))) {
      return State.MALFORMED;
    }
    Pattern form = four ? DOTTED : COLONS;
    if (!form.matcher(words[1]).matches() || !form.matcher(words[2]).matches()) {
      return State.MALFORMED;
    }
    if (!isPort(words[3]) || !isPort(words[4])) {
      return State.MALFORMED;
    }
    return address(words[1], words[2]);
  }

  private static boolean isPort(String word) {
    return PORT.matcher(word).matches() && Integer.parseInt(word) <= 0xffff;
  }

  private State address(String source, String destination) {
    try {
      AddressRange from = AddressRange.of(source);
      AddressRange _ = AddressRange.of(destination);
      high = from.high();
      low = from.low();
      return State.ADDRESS;
    } catch (IllegalArgumentException e) {
      return State.MALFORMED;
    }
  }

  // ---- version 2 ----------------------------------------------------------------------------

  private State binary() {
    if (count <= SIGNATURE.length) {
      boolean same = kept[count - 1] == SIGNATURE[count - 1];
      return same ? State.INCOMPLETE : State.MALFORMED;
    }
    if (count < FIXED) {
      return State.INCOMPLETE;
    }
    int command = kept[12] & 0xff;
    int family = (kept[13] & 0xff) >> 4;
    int transport = kept[13] & 0xf;
    int length = (int) number(14, 2);
    if (command >> 4 != 2 || (command & 0xf) > 1) {
      return State.MALFORMED;
    }
    boolean local = (command & 0xf) == 0;
    if (!local && (family > UNIX || transport > MOST_TRANSPORT || length < addressBytes(family))) {
      return State.MALFORMED;
    }
    boolean told = !local && transport == STREAM && (family == IPV4 || family == IPV6);
    int used = told ? addressBytes(family) : 0;
    if (count < FIXED + used) {
      return State.INCOMPLETE;
    }
    if (told) {
      high = family == IPV4 ? 0 : number(FIXED, 8);
      low = family == IPV4 ? 0xffff_0000_0000L | number(FIXED, 4) : number(FIXED + 8, 8);
    }
    pending = told ? State.ADDRESS : State.NO_ADDRESS;
    skip = length - used;
    return skip == 0 ? pending : State.INCOMPLETE;
  }

  private static int addressBytes(int family) {
    return switch (family) {
      case IPV4 -> 12;
      case IPV6 -> 36;
      case UNIX -> 216;
      default -> 0;
    };
  }

  private long number(int from, int bytes) {
    long value = 0;
    for (int i = 0; i < bytes; i++) {
      value = (value << 8) | (kept[from + i] & 0xff);
    }
    return value;
  }
}
