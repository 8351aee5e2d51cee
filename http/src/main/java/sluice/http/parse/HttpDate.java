package sluice.http.parse;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import sluice.http.text.Digits;
import sluice.memory.View;

/// Formats and parses dates of RFC 9110 section 5.6.7, as seconds since 1970-01-01 00:00 UTC.
///
/// Stateless; any thread may call. Formatting into a segment and parsing allocate nothing.
public final class HttpDate {
  /// The length of `Sun, 06 Nov 1994 08:49:37 GMT`.
  public static final int LENGTH = 29;

  /// The result of [#parse] for text that is not a date.
  public static final long INVALID = Long.MIN_VALUE;

  private static final long DAY = 86_400;

  /// The years 0000 and 9999 are the first and the last with four digits.
  private static final long FIRST = -62_167_219_200L;

  private static final long LAST = 253_402_300_799L;

  private static final byte[] DAYS = ascii("SunMonTueWedThuFriSat");
  private static final byte[] MONTHS = ascii("JanFebMarAprMayJunJulAugSepOctNovDec");
  private static final byte[][] LONG_DAYS = {
    ascii("Sunday"),
    ascii("Monday"),
    ascii("Tuesday"),
    ascii("Wednesday"),
    ascii("Thursday"),
    ascii("Friday"),
    ascii("Saturday")
  };

  private HttpDate() {}

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /// Returns the nearest time that a date can express: years 0 to 9999.
  public static long nearest(long epochSeconds) {
    return Math.clamp(epochSeconds, FIRST, LAST);
  }

  /// Writes [#LENGTH] bytes at `at`. Times outside the years 0 to 9999, which only a broken file
  /// system reports, are moved to the nearest date in that range.
  public static void format(long epochSeconds, MemorySegment target, long at) {
    long seconds = nearest(epochSeconds);
    long epochDay = Math.floorDiv(seconds, DAY);
    int ofDay = (int) (seconds - epochDay * DAY);
    int weekday = weekday(epochDay);
    // Days in eras of 400 years that start on 1 March, so that the leap day is the last of a year.
    long shifted = epochDay + 719_468;
    long era = Math.floorDiv(shifted, 146_097);
    int dayOfEra = (int) (shifted - era * 146_097);
    int yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
    int dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
    int march = (5 * dayOfYear + 2) / 153;
    int day = dayOfYear - (153 * march + 2) / 5 + 1;
    int month = march < 10 ? march + 3 : march - 9;
    int year = (int) (yearOfEra + era * 400) + (month <= 2 ? 1 : 0);

    MemorySegment.copy(DAYS, weekday * 3, target, ValueLayout.JAVA_BYTE, at, 3);
    put(target, at + 3, ',');
    put(target, at + 4, ' ');
    twoDigits(target, at + 5, day);
    put(target, at + 7, ' ');
    MemorySegment.copy(MONTHS, (month - 1) * 3, target, ValueLayout.JAVA_BYTE, at + 8, 3);
    put(target, at + 11, ' ');
    twoDigits(target, at + 12, year / 100);
    twoDigits(target, at + 14, year % 100);
    put(target, at + 16, ' ');
    twoDigits(target, at + 17, ofDay / 3600);
    put(target, at + 19, ':');
    twoDigits(target, at + 20, ofDay / 60 % 60);
    put(target, at + 22, ':');
    twoDigits(target, at + 23, ofDay % 60);
    put(target, at + 25, ' ');
    put(target, at + 26, 'G');
    put(target, at + 27, 'M');
    put(target, at + 28, 'T');
  }

  /// Returns the date as a new array.
  public static byte[] format(long epochSeconds) {
    byte[] bytes = new byte[LENGTH];
    format(epochSeconds, MemorySegment.ofArray(bytes), 0);
    return bytes;
  }

  private static void put(MemorySegment target, long at, char c) {
    target.set(ValueLayout.JAVA_BYTE, at, (byte) c);
  }

  private static void twoDigits(MemorySegment target, long at, int value) {
    put(target, at, (char) ('0' + value / 10));
    put(target, at + 1, (char) ('0' + value % 10));
  }

  /// Parses any of the three forms: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37
  /// GMT`, `Sun Nov 6 08:49:37 1994`. The weekday has to match the date.
  ///
  /// @param nowSeconds decides the century of a two-digit year: more than 50 years ahead means the
  ///   past
  /// @return seconds, or [#INVALID]
  public static long parse(View view, int from, int to, long nowSeconds) {
    int length = to - from;
    if (length < 24 || length > 33) {
      return INVALID;
    }
    if (length == LENGTH && view.get(from + 3) == ',') {
      return fixdate(view, from);
    }
    if (length == 24 && view.get(from + 3) == ' ') {
      return asctime(view, from);
    }
    return rfc850(view, from, to, nowSeconds);
  }

  private static long fixdate(View view, int from) {
    boolean shape =
        view.get(from + 4) == ' '
            && view.get(from + 7) == ' '
            && view.get(from + 11) == ' '
            && view.get(from + 16) == ' '
            && gmt(view, from + 25);
    if (!shape) {
      return INVALID;
    }
    int year = number(view, from + 12, 2) * 100 + number(view, from + 14, 2);
    int day = number(view, from + 5, 2);
    return seconds(view, from + 17, name(view, from, DAYS), year, month(view, from + 8), day);
  }

  private static long asctime(View view, int from) {
    boolean shape =
        view.get(from + 7) == ' ' && view.get(from + 10) == ' ' && view.get(from + 19) == ' ';
    if (!shape) {
      return INVALID;
    }
    boolean padded = view.get(from + 8) == ' ';
    int day = padded ? number(view, from + 9, 1) : number(view, from + 8, 2);
    int year = number(view, from + 20, 2) * 100 + number(view, from + 22, 2);
    return seconds(view, from + 11, name(view, from, DAYS), year, month(view, from + 4), day);
  }

  private static long rfc850(View view, int from, int to, long nowSeconds) {
    for (int weekday = 0; weekday < LONG_DAYS.length; weekday++) {
      byte[] name = LONG_DAYS[weekday];
      if (to - from == name.length + 24 && view.startsWith(name, from)) {
        return afterLongDay(view, from + name.length, weekday, nowSeconds);
      }
    }
    return INVALID;
  }

  private static long afterLongDay(View view, int at, int weekday, long nowSeconds) {
    boolean shape =
        view.get(at) == ','
            && view.get(at + 1) == ' '
            && view.get(at + 4) == '-'
            && view.get(at + 8) == '-'
            && view.get(at + 11) == ' '
            && gmt(view, at + 20);
    if (!shape) {
      return INVALID;
    }
    int day = number(view, at + 2, 2);
    int month = month(view, at + 5);
    int century = year(nowSeconds) / 100 * 100 + 100;
    int twoDigits = number(view, at + 9, 2);
    // The latest year with these digits that is not more than 50 years ahead.
    int year = century + twoDigits;
    while (year > year(nowSeconds) + 50) {
      year -= 100;
    }
    return seconds(view, at + 12, weekday, year, month, day);
  }

  private static int year(long epochSeconds) {
    long seconds = nearest(epochSeconds);
    return LocalDate.ofEpochDay(Math.floorDiv(seconds, DAY)).getYear();
  }

  /// Combines the parts if each of them is in range; negative ones are not.
  private static long seconds(View view, int time, int weekday, int year, int month, int day) {
    int hour = number(view, time, 2);
    int minute = number(view, time + 3, 2);
    int second = number(view, time + 6, 2);
    boolean inRange =
        view.get(time + 2) == ':'
            && view.get(time + 5) == ':'
            && (hour | minute | second | weekday | month | day | year) >= 0
            && hour <= 23
            && minute <= 59
            && second <= 60 // a leap second
            && day >= 1
            && day <= daysOf(month, year);
    if (!inRange) {
      return INVALID;
    }
    long epochDay = epochDay(year, month + 1, day);
    if (weekday(epochDay) != weekday) {
      return INVALID;
    }
    return epochDay * DAY + hour * 3600L + minute * 60L + second;
  }

  private static int daysOf(int month, int year) {
    if (month == 1) {
      return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28;
    }
    return month == 3 || month == 5 || month == 8 || month == 10 ? 30 : 31;
  }

  private static long epochDay(int year, int month, int day) {
    int shiftedYear = month <= 2 ? year - 1 : year;
    long era = Math.floorDiv(shiftedYear, 400);
    long yearOfEra = shiftedYear - era * 400;
    int dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    long dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
    return era * 146_097 + dayOfEra - 719_468;
  }

  /// Returns the day of the week; 0 is Sunday.
  private static int weekday(long epochDay) {
    return (int) Math.floorMod(epochDay + 4, 7L);
  }

  private static boolean gmt(View view, int at) {
    return view.get(at) == ' '
        && view.get(at + 1) == 'G'
        && view.get(at + 2) == 'M'
        && view.get(at + 3) == 'T';
  }

  private static int month(View view, int at) {
    return name(view, at, MONTHS);
  }

  /// Returns the index of the three-letter name at `at`, or -1.
  private static int name(View view, int at, byte[] names) {
    byte a = view.get(at);
    byte b = view.get(at + 1);
    byte c = view.get(at + 2);
    for (int i = 0; i < names.length; i += 3) {
      if (names[i] == a && names[i + 1] == b && names[i + 2] == c) {
        return i / 3;
      }
    }
    return -1;
  }

  /// Returns the number in `count` digits, or one so negative that it stays negative when it is
  /// multiplied and added to.
  private static int number(View view, int at, int count) {
    int value = 0;
    for (int i = at; i < at + count; i++) {
      byte b = view.get(i);
      if (!Digits.isDigit(b)) {
        return -100_000;
      }
      value = value * 10 + b - '0';
    }
    return value;
  }
}
