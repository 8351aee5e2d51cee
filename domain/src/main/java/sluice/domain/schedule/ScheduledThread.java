package sluice.domain.schedule;

import org.jspecify.annotations.Nullable;

/// A virtual thread of a domain, as its scheduler sees it: the same object as long as the thread
/// lives. Any thread of the domain may call.
public interface ScheduledThread {
  /// Returns the name that the thread had when it was started.
  String name();

  /// Returns true if the thread could be chosen now.
  boolean isReady();

  /// Returns what the scheduler has attached, or null. Not synchronized.
  @Nullable Object attachment();

  /// Keeps an object of the scheduler's with the thread, in place of the last one.
  void attach(@Nullable Object attachment);
}
