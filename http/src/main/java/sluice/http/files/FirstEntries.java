package sluice.http.files;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/// Selects the first entries of a directory in listing order, in a single pass over any number of
/// entries. A heap contains the `most` smallest entries so far. The largest of them is at the top
/// and is replaced by each entry that is smaller (selection of the k least, Knuth, TAOCP vol. 3,
/// section 5.2.3). The required memory is limited to `most` names.
///
/// **Order.** Directories first, then by name in [NaturalOrder].
///
/// Owned by the thread that creates the listing.
final class FirstEntries {
  /// @param kind a value of [FileStatus#kind]
  @SuppressWarnings("ArrayRecordComponent") // never compared by equals
  record Name(byte[] name, int kind) {
    static final Comparator<Name> ORDER =
        Comparator.comparing((Name each) -> each.kind != FileStatus.DIRECTORY)
            .thenComparing(Name::name, NaturalOrder.ORDER);
  }

  private final int most;
  private final SiteFiles.Filter filter;
  private final PriorityQueue<Name> least = new PriorityQueue<>(Name.ORDER.reversed());
  private long shown;

  FirstEntries(int most, SiteFiles.Filter filter) {
    this.most = most;
    this.filter = filter;
  }

  void offer(byte[] name, int kind) {
    if (!filter.shows(name, kind)) {
      return;
    }
    shown++;
    Name offered = new Name(name, kind);
    if (least.size() < most) {
      least.add(offered);
    } else if (most > 0 && Name.ORDER.compare(offered, least.element()) < 0) {
      least.remove();
      least.add(offered);
    }
  }

  /// Returns the smallest entries in order.
  List<Name> sorted() {
    List<Name> sorted = new ArrayList<>(least);
    sorted.sort(Name.ORDER);
    return sorted;
  }

  /// Returns the number of entries that [#sorted] does not include.
  long more() {
    return shown - least.size();
  }
}
