package sluice.domain;

import java.util.Locale;
import sluice.domain.portal.copy.CopyQuota;

/// The resource limits of a domain. Immutable.
///
/// If a domain exceeds the limit on threads, sockets or native memory, its request is refused, and
/// so is a portal call that would copy too much data into the domain. If the domain exceeds its
/// share of processors or its allocation rate, its threads wait at their gates until the average is
/// within the budget again. Use is sampled every 20 ms, so a domain may exceed its budget for that
/// time. The amount of heap that a domain holds is not limited.
///
/// @param threads the maximum number of concurrent threads
/// @param cpuShare the share of one processor, where 0.2 means 20 % and 2 means two processors;
///   infinite for no limit
/// @param allocationBytesPerSecond the maximum allocation rate; `Long.MAX_VALUE` for no limit
/// @param copyBytes the maximum number of bytes that one portal call may copy into the domain
/// @param sockets the maximum number of open sockets and selectors
/// @param memoryBytes the maximum total size of all memory objects and direct buffers;
///   `Long.MAX_VALUE` for no limit
/// @param weight the weight of the domain's virtual threads, from 1 to 1000. If more threads are
///   ready than there are processors, domains share the processors in proportion to their weights
public record Budget(
    int threads,
    double cpuShare,
    long allocationBytesPerSecond,
    long copyBytes,
    int sockets,
    long memoryBytes,
    int weight) {
  /// The default budget: 256 threads, 256 sockets, one megabyte per portal call, weight 1, and no
  /// limit on processor time, allocation rate or native memory.
  public static final Budget DEFAULT =
      new Budget(
          256,
          Double.POSITIVE_INFINITY,
          Long.MAX_VALUE,
          CopyQuota.STANDARD.bytes(),
          256,
          Long.MAX_VALUE,
          1);

  /// Checks the ranges of all components.
  ///
  /// @throws IllegalArgumentException if a component is out of range
  public Budget {
    if (threads < 1 || !(cpuShare >= 0.01) || allocationBytesPerSecond < 1024 || copyBytes < 1024) {
      throw new IllegalArgumentException(
          "a budget has at least 1 thread, 0.01 of a processor, 1 KB/s of allocation and 1 KB of"
              + " copies");
    }
    if (weight < 1 || weight > 1000) {
      throw new IllegalArgumentException("a budget has a weight from 1 to 1000");
    }
    if (sockets < 0 || memoryBytes < 0) {
      throw new IllegalArgumentException("a budget has no negative number of sockets or bytes");
    }
  }

  /// Returns true if use has to be sampled to enforce this budget.
  boolean isSampled() {
    return cpuShare != Double.POSITIVE_INFINITY || allocationBytesPerSecond != Long.MAX_VALUE;
  }

  /// Returns the limits on the objects that one call may copy into the domain.
  CopyQuota copyQuota() {
    return new CopyQuota(copyBytes, CopyQuota.STANDARD.objects());
  }

  /// Parses a budget such as
  /// `cpu=20%,alloc=50MB/s,threads=16,copy=1MB,sockets=8,memory=16MB,weight=3`. Omitted parts have
  /// the values of [#DEFAULT].
  ///
  /// @throws IllegalArgumentException if a part is invalid; the message names the part and the fix
  public static Budget parse(String text) {
    int threads = DEFAULT.threads;
    double cpuShare = DEFAULT.cpuShare;
    long allocation = DEFAULT.allocationBytesPerSecond;
    long copy = DEFAULT.copyBytes;
    int sockets = DEFAULT.sockets;
    long memory = DEFAULT.memoryBytes;
    int weight = DEFAULT.weight;
    for (String part : text.split(",", -1)) {
      int equals = part.indexOf('=');
      String value = part.substring(equals + 1).strip();
      try {
        switch (equals < 0 ? "" : part.substring(0, equals).strip()) {
          case "threads" -> threads = Integer.parseInt(value);
          case "cpu" -> cpuShare = share(value);
          case "alloc" -> allocation = bytes(value, "B/S");
          case "copy" -> copy = bytes(value, "B");
          case "sockets" -> sockets = Integer.parseInt(value);
          case "memory" -> memory = bytes(value, "B");
          case "weight" -> weight = Integer.parseInt(value);
          default -> throw new NumberFormatException();
        }
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException(
            "budget: \""
                + part
                + "\" is not understood. Fix: cpu=20%,alloc=50MB/s,threads=16,copy=1MB,sockets=8,"
                + "memory=16MB,weight=3",
            e);
      }
    }
    return new Budget(threads, cpuShare, allocation, copy, sockets, memory, weight);
  }

  private static double share(String value) {
    return value.endsWith("%")
        ? Double.parseDouble(value.substring(0, value.length() - 1)) / 100
        : Double.parseDouble(value);
  }

  private static long bytes(String value, String unit) {
    String upper = value.toUpperCase(Locale.ROOT);
    if (!upper.endsWith(unit)) {
      throw new NumberFormatException(value);
    }
    String number = upper.substring(0, upper.length() - unit.length());
    if (number.isEmpty()) {
      throw new NumberFormatException(value);
    }
    int shift = "KMG".indexOf(number.charAt(number.length() - 1)) + 1;
    String digits = shift == 0 ? number : number.substring(0, number.length() - 1);
    return (long) (Long.parseLong(digits) * (double) (1L << (10 * shift)));
  }
}
