/// Schedulers of domains. A class of a domain implements these interfaces in order to select which
/// of its virtual threads run.
///
/// ```java
/// public final class RoundRobin implements Scheduler {
///   private final ArrayDeque<ScheduledThread> ready = new ArrayDeque<>();
///
///   public void activated(Cpu cpu) {
///     for (ScheduledThread each = cpu.woken(); each != null; each = cpu.woken()) {
///       ready.add(each);
///     }
///     ScheduledThread next = ready.poll();
///     if (next != null) {
///       cpu.switchTo(next);
///     }
///   }
/// }
/// ```
///
/// After Golm et al., "The JX Operating System", USENIX 2002, section 2.8.
@org.jspecify.annotations.NullMarked
package sluice.domain.schedule;
