package sluice.nio.readiness;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import sluice.sys.PollFds;

/// Edge-triggered registrations that may be ready although no new edge will say so. Belongs to the
/// holder of the [InterestTable]'s lock.
final class RecheckList {
  private final List<Registration> listed = new ArrayList<>();
  private final List<Registration> found = new ArrayList<>();
  private PollFds fds = PollFds.recycled(64);

  /// Gives the memory back: nothing is looked at any more.
  void close() {
    fds.close();
  }

  void add(Registration registration) {
    if (!registration.listed) {
      registration.listed = true;
      listed.add(registration);
    }
  }

  /// Drops those without an interest at present, and those that are no suspects any more.
  ///
  /// @param steady told of each that has been reported and is still wanted; it may settle it
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

  /// Asks the kernel about all that are listed, in one call.
  ///
  /// @return number of those that are ready; they stay suspects
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
