package sluice.nio.readiness;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import sluice.sys.PollFds;

/// The edge-triggered registrations that may be ready although no new edge will report it. Owned by
/// the holder of the [InterestTable]'s lock.
final class RecheckList {
  private final List<Registration> listed = new ArrayList<>();
  private final List<Registration> found = new ArrayList<>();
  private PollFds fds = PollFds.recycled(64);

  /// Releases the memory. The list must not be checked after this call.
  void close() {
    fds.close();
  }

  void add(Registration registration) {
    if (!registration.listed) {
      registration.listed = true;
      listed.add(registration);
    }
  }

  /// Removes the registrations that currently have no interest or no longer need to be checked.
  ///
  /// @param steady called for each registration that was reported and still has an interest, which
  ///   may then change it to level-triggered mode
  void settle(Consumer<Registration> steady) {
    int kept = 0;
    for (int i = 0; i < listed.size(); i++) {
      Registration registration = listed.get(i);
      if (registration.needsRecheck()) {
        steady.accept(registration);
      }
      if (registration.needsRecheck()) {
        listed.set(kept++, registration);
      } else {
        registration.listed = false;
      }
    }
    truncate(kept);
  }

  /// Checks the state of all listed registrations in a single system call.
  ///
  /// @return the number of registrations that are ready, which remain listed
  int look(ReadinessCounters counts) {
    int count = listed.size();
    if (count == 0) {
      return 0;
    }
    if (count > fds.capacity()) {
      int capacity = Math.max(count, fds.capacity() * 2);
      fds.close();
      fds = PollFds.recycled(capacity);
    }
    for (int i = 0; i < count; i++) {
      fds.set(i, listed.get(i).fd, listed.get(i).wanted);
    }
    counts.looks++;
    counts.looked += count;
    boolean answered = fds.poll(count, 0) >= 0; // EINTR, ENOMEM: look again next time
    int kept = 0;
    for (int i = 0; i < count; i++) {
      Registration registration = listed.get(i);
      int bits = answered ? fds.revents(i) & ~PollFds.POLLNVAL : 0;
      if (answered) {
        registration.quiet |= registration.wanted;
        registration.heard(bits);
      }
      if (bits != 0) {
        registration.found = bits;
        found.add(registration);
      }
      if (registration.needsRecheck()) {
        listed.set(kept++, registration);
      } else {
        registration.listed = false;
      }
    }
    truncate(kept);
    return found.size();
  }

  private void truncate(int size) {
    for (int i = listed.size() - 1; i >= size; i--) {
      listed.remove(i);
    }
  }

  int foundCount() {
    return found.size();
  }

  Registration found(int index) {
    return found.get(index);
  }

  void clearFound() {
    for (int i = 0; i < found.size(); i++) {
      found.get(i).found = 0;
    }
    found.clear();
  }
}
