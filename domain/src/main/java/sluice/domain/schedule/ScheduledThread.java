package sluice.domain.schedule;

import org.jspecify.annotations.Nullable;

/// A scheduler's view of a virtual thread of its domain. The object is the same as long as the
/// thread lives. Any thread of the domain may call.
public interface ScheduledThread {
  /// Returns the name that the thread had when it was started.
  String name();

  /// Returns true if the thread can be chosen now.
  boolean isReady();

  /// Returns the object that the scheduler has attached, or null. Not synchronized.
  @Nullable Object attachment();

  /// Attaches an object of the scheduler to the thread, replacing the previous one.
  void attach(@Nullable Object attachment);
}
