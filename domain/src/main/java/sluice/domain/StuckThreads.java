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

/// Terminates waits of an ended domain's threads that neither an interrupt nor a close can
/// terminate. These are system calls that the JDK makes on its own descriptors (`URL.openStream`),
/// and calls on files that do not respond. A closer calls this class one second after the end of
/// the domain and every half second afterwards, from one thread at a time.
///
/// A thread is only woken if it was in the same call with the same arguments at the previous check.
final class StuckThreads {
  static final long FIRST_NANOS = 1_000_000_000;
  static final long NEXT_NANOS = 500_000_000;

  /// The class in whose frames a thread waits for input of the host.
  private static final String HOSTS = HostInput.class.getName();

  private Map<Long, BlockedCall> seen = new HashMap<>();

  /// Terminates the calls in which threads were already blocked at the previous check.
  ///
  /// @param left the threads of the domain
  /// @param carrying the threads that carry virtual threads of the domain. It is unknown which
  ///   virtual thread each of them carries, so none of their calls is terminated while one of the
  ///   virtual threads waits for input of the host
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

  /// Returns the output of `jcmd Thread.print`, the only source of a thread's kernel id.
  private static String dump() throws JMException {
    return (String)
        ManagementFactory.getPlatformMBeanServer()
            .invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                "threadPrint",
                new Object[] {new String[0]},
                new String[] {String[].class.getName()});
  }

  /// Finds the call of a thread by its line `"name" #12 [345] daemon prio=5 ... nid=345`. The name
  /// is text of the domain and may look like another thread's line. In that case the number occurs
  /// twice, and both lines are ignored.
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
