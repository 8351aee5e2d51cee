package sluice.http.parse;

import sluice.http.text.AsciiSet;
import sluice.http.text.Digits;
import sluice.http.text.Ows;
import sluice.http.text.Swar;
import sluice.memory.View;

/// Chooses a content coding by Accept-Encoding, RFC 9110 section 12.5.3.
///
/// Stateless, so any thread may call it. Nothing is allocated. Codings are represented by bits, so
/// available and acceptable codings are masks. A malformed member is ignored.
public final class ContentNegotiation {
  public static final int IDENTITY = 1;
  public static final int GZIP = 1 << 1;
  public static final int ZSTD = 1 << 2;
  public static final int BR = 1 << 3;

  /// The codings in the server's order of preference.
  private static final int[] PREFERENCE = {BR, ZSTD, GZIP, IDENTITY};

  private static final int CODINGS = 4;
  private static final int CODING_MASK = (1 << CODINGS) - 1;

  /// Weights take 16 bits each: twice the thousandths of the qvalue, so that an unnamed identity
  /// fits below every named coding.
  private static final int WEIGHT_BITS = 16;

  private static final int WEIGHT_MASK = (1 << WEIGHT_BITS) - 1;
  private static final int UNNAMED = WEIGHT_MASK;
  private static final int IDENTITY_UNNAMED = 1;

  private static final long IDENTITY_NAME = Swar.of("identity", 0);
  private static final long GZIP_NAME = Swar.of("gzip", 0);
  private static final long X_GZIP_NAME = Swar.of("x-gzip", 0);
  private static final long ZSTD_NAME = Swar.of("zstd", 0);
  private static final long BR_NAME = Swar.of("br", 0);

  private ContentNegotiation() {}

  /// Returns the available coding with the greatest weight. If several codings have the same
  /// weight, the order of preference of this server is used.
  ///
  /// @param available a mask of the available codings
  /// @return the coding, or 0 if the client accepts none of them
  public static int choose(HttpRequest request, int available) {
    if (!request.has(Field.ACCEPT_ENCODING)) {
      return available & IDENTITY;
    }
    long weights = weights(request);
    int best = 0;
    int bestWeight = 0;
    for (int coding : PREFERENCE) {
      int weight = weight(weights, coding);
      if ((available & coding) != 0 && weight > bestWeight) {
        best = coding;
        bestWeight = weight;
      }
    }
    return best;
  }

  /// Returns the codings that the client accepts in the order in which [#choose] prefers them. Each
  /// coding takes four bits, starting with the lowest. The result remains valid when the request is
  /// no longer available.
  public static int order(HttpRequest request) {
    int order = 0;
    int left = IDENTITY | GZIP | ZSTD | BR;
    for (int shift = 0; left != 0; shift += CODINGS) {
      int next = choose(request, left);
      if (next == 0) {
        break;
      }
      order |= next << shift;
      left &= ~next;
    }
    return order;
  }

  /// Returns the result of [#choose] for the request with this `order`.
  public static int first(int order, int available) {
    int left = order;
    while (left != 0 && (left & available & CODING_MASK) == 0) {
      left >>>= CODINGS;
    }
    return left & CODING_MASK;
  }

  /// Returns a mask of the codings that the client accepts. If the field is missing, only identity
  /// is accepted. The RFC would then allow every coding, but such a client may not support any.
  public static int acceptable(HttpRequest request) {
    if (!request.has(Field.ACCEPT_ENCODING)) {
      return IDENTITY;
    }
    long weights = weights(request);
    int mask = 0;
    for (int coding : PREFERENCE) {
      mask |= weight(weights, coding) > 0 ? coding : 0;
    }
    return mask;
  }

  private static int weight(long weights, int coding) {
    int shift = Integer.numberOfTrailingZeros(coding) * WEIGHT_BITS;
    return (int) (weights >>> shift) & WEIGHT_MASK;
  }

  private static long with(long weights, int coding, int weight) {
    int shift = Integer.numberOfTrailingZeros(coding) * WEIGHT_BITS;
    return (weights & ~((long) WEIGHT_MASK << shift)) | ((long) weight << shift);
  }

  private static long weights(HttpRequest request) {
    View view = request.view();
    long weights = -1; // all unnamed
    int rest = UNNAMED;
    for (int line = request.firstLine(Field.ACCEPT_ENCODING);
        line >= 0;
        line = request.nextLine(line)) {
      int to = request.valueTo(line);
      int from = request.valueFrom(line);
      while (from < to) {
        int comma = view.indexOf((byte) ',', from, to);
        int end = comma < 0 ? to : comma;
        int start = Ows.skip(view, from, end);
        int nameTo = nameEnd(view, start, end);
        int weight = qvalue(view, nameTo, Ows.trim(view, nameTo, end));
        if (weight >= 0) {
          int coding = coding(view, start, nameTo);
          if (coding != 0) {
            weights = with(weights, coding, weight);
          } else if (nameTo - start == 1 && view.get(start) == '*') {
            rest = weight;
          }
        }
        from = end + 1;
      }
    }
    for (int i = 0; i < CODINGS; i++) {
      int coding = 1 << i;
      if (weight(weights, coding) == UNNAMED) {
        int unnamed = coding == IDENTITY ? IDENTITY_UNNAMED : 0;
        weights = with(weights, coding, rest == UNNAMED ? unnamed : rest);
      }
    }
    return weights;
  }

  private static int nameEnd(View view, int from, int to) {
    int i = from;
    while (i < to && AsciiSet.TOKEN.has(view.get(i))) {
      i++;
    }
    return i;
  }

  private static int coding(View view, int from, int to) {
    int length = to - from;
    if (length > Long.BYTES) {
      return 0;
    }
    long name = Swar.keep(Swar.fold(Swar.word(view, from, to)), length);
    if (name == GZIP_NAME || name == X_GZIP_NAME) {
      return GZIP;
    } else if (name == BR_NAME) {
      return BR;
    } else if (name == ZSTD_NAME) {
      return ZSTD;
    }
    return name == IDENTITY_NAME ? IDENTITY : 0;
  }

  /// Parses `OWS ";" OWS "q=" qvalue`, or nothing, which means 1.
  ///
  /// @return twice the thousandths, or -1 if it is malformed
  private static int qvalue(View view, int from, int to) {
    int at = Ows.skip(view, from, to);
    if (at == to) {
      return 2000;
    }
    if (view.get(at) != ';') {
      return -1;
    }
    at = Ows.skip(view, at + 1, to);
    int digits = to - at - 2;
    if (digits < 1 || digits > 5 || (view.get(at) | 0x20) != 'q' || view.get(at + 1) != '=') {
      return -1;
    }
    byte whole = view.get(at + 2);
    if ((whole != '0' && whole != '1') || (digits > 1 && view.get(at + 3) != '.')) {
      return -1;
    }
    int thousandths = 0;
    for (int i = at + 4; i < at + 7; i++) {
      byte digit = i < to ? view.get(i) : (byte) '0';
      if (!Digits.isDigit(digit)) {
        return -1;
      }
      thousandths = thousandths * 10 + digit - '0';
    }
    if (whole == '1') {
      return thousandths == 0 ? 2000 : -1;
    }
    return 2 * thousandths;
  }
}
