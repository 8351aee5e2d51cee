package sluice.domain.schedule;

import org.jspecify.annotations.Nullable;

/// A scheduler's view of a virtual thread of its domain. The object remains the same throughout the
/// life of the thread. Any thread of the domain may call.
public interface ScheduledThread {
  /// Returns the name that the thread had when it was started.
  String name();

  /// Returns true if the thread can currently be selected.
  boolean isReady();

  /// Returns the object that the scheduler has attached, or null if there is none. Not
  /// synchronized.
  @Nullable Object attachment();

  /// Attaches an object of the scheduler to the thread, replacing the previous one.
  void attach(@Nullable Object attachment);
}
