package sluice.domain;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import sluice.sys.threads.BlockedCall;

/// Ends the waits of threads of an ended domain that neither an interrupt nor a close ends: in
/// calls that the JDK makes on descriptors of its own (`URL.openStream`), or on files that do not
/// answer. Called by a closer, a second after the end and every half second then; of one thread at
/// a time.
///
/// Acts on a thread only when it was in the same call, with the same arguments, the time before.
final class StuckThreads {
  static final long FIRST_NANOS = 1_000_000_000;
  static final long NEXT_NANOS = 500_000_000;

  /// Frames by which a thread waits for what is the host's.
  private static final String HOSTS = HostInput.class.getName();

  private Map<Long, BlockedCall> seen = new HashMap<>();

  /// @param left threads of the domain
  /// @param carrying threads that carry virtual ones of it: which one each carries is not known, so
  ///   while one of them waits for what is the host's, the calls of none are ended
  void look(List<Thread> left, List<Thread> carrying) throws JMException, IOException {
    List<Thread> threads = new ArrayList<>();
    boolean hasVirtualAtTheHosts = false;
    for (Thread each : left) {
      boolean isAtTheHosts = isAtTheHosts(each);
      if (!each.isVirtual() && !isAtTheHosts) {
        threads.add(each);
      }
      hasVirtualAtTheHosts |= each.isVirtual() && isAtTheHosts;
    }
    if (!hasVirtualAtTheHosts) {
      threads.addAll(carrying);
    }
    Map<Long, BlockedCall> now = new HashMap<>();
    String dump = threads.isEmpty() ? "" : dump();
    for (Thread thread : threads) {
      BlockedCall call = call(thread, dump);
      if (call != null && call.equals(seen.get(thread.threadId()))) {
        call.end();
      } else if (call != null) {
        now.put(thread.threadId(), call);
      }
    }
    seen = now;
  }

  private static boolean isAtTheHosts(Thread thread) {
    for (StackTraceElement frame : thread.getStackTrace()) {
      if (frame.getClassName().equals(HOSTS)) {
        return true;
      }
    }
    return false;
  }

  /// What `jcmd Thread.print` prints: nothing else tells a thread's number in the kernel.
  private static String dump() throws JMException {
    return (String)
        ManagementFactory.getPlatformMBeanServer()
            .invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                "threadPrint",
                new Object[] {new String[0]},
                new String[] {String[].class.getName()});
  }

  /// By its line `"name" #12 [345] daemon prio=5 ... nid=345`. The name is text of the domain,
  /// which may look like another line: then there are two of the number, and neither counts.
  private static @Nullable BlockedCall call(Thread thread, String dump) {
    Pattern line = Pattern.compile("\" #" + thread.threadId() + " \\[(\\d{1,9})\\] ");
    Matcher found = line.matcher(dump);
    if (!found.find()) {
      return null;
    }
    int number = Integer.parseInt(found.group(1));
    return found.find() ? null : BlockedCall.of(number);
  }
}
