package sluice.http;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import sluice.http.parse.HttpRequest;
import sluice.http.reply.ErrorPages;
import sluice.http.rules.SiteRules;
import sluice.http.service.SiteService;
import sluice.loop.counters.CounterPublisher;

/// The sites that one loop serves, by host name. Owned by the loop's thread, except for [#replace].
///
/// If the server has a single site for all names, names are ignored. Otherwise the name of the
/// previous request is compared first, because a client rarely changes it.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | next | the thread that reconfigures | volatile, by `update` | volatile |
/// | current | owner | volatile, also by the thread of the counters | volatile |
/// | ended | owner | volatile, also by the thread of the counters | volatile |
final class HttpHosts {
  /// A site that is served under some host names.
  ///
  /// @param service the service for the site's files, or null if it has none
  record Served(@Nullable SiteService service, ErrorPages errors, SiteRules rules) {
    /// Returns true if any path is protected by access rules.
    boolean guarded() {
      return !rules.access().isEmpty();
    }
  }

  /// The set of sites that a loop serves at a given time.
  ///
  /// @param names the names of the hosts, or null if every request is served by the main site
  /// @param main the site for unknown host names, or null if requests for them are refused
  record Sites(@Nullable HostNames names, List<Served> hosts, @Nullable Served main) {
    List<Served> all() {
      List<Served> all = new ArrayList<>(hosts);
      if (main != null) {
        all.add(main);
      }
      return all;
    }

    List<SiteService> services() {
      List<SiteService> services = new ArrayList<>();
      for (Served each : all()) {
        if (each.service != null) {
          services.add(each.service);
        }
      }
      return services;
    }

    boolean guarded() {
      return all().stream().anyMatch(Served::guarded);
    }
  }

  /// The length of the longest host name that is cached.
  private static final int LONGEST = 128;

  private static final int COUNTED = SiteService.COUNTERS.size();

  private volatile Sites current;
  private volatile @Nullable Sites next;
  private volatile long[] ended = new long[COUNTED];
  private final List<SiteService> retired = new ArrayList<>();
  private boolean guarded;
  private final byte[] lastName = new byte[LONGEST];
  private int lastLength;
  private @Nullable Served last;

  HttpHosts(Sites sites) {
    current = sites;
    guarded = sites.guarded();
    last = sites.main;
  }

  /// Returns a host table with a single site that is served under every name.
  static HttpHosts of(@Nullable SiteService service, ErrorPages errors) {
    return new HttpHosts(new Sites(null, List.of(), new Served(service, errors, SiteRules.NONE)));
  }

  /// Returns the site that a request is for, or null if there is no site with its name.
  @Nullable Served of(HttpRequest request) {
    Sites sites = current;
    HostNames names = sites.names;
    if (names == null) {
      return sites.main;
    }
    int from = request.hostFrom();
    int length = request.hostTo() - from;
    if (length == lastLength && length > 0 && request.view().startsWith(lastName, length, from)) {
      return last;
    }
    int index = names.find(request.view(), from, request.hostTo());
    Served found = index < 0 ? sites.main : sites.hosts.get(index);
    lastLength = length <= LONGEST ? length : 0;
    request.view().copyTo(from, lastName, 0, lastLength);
    last = found;
    return found;
  }

  /// Returns true if any site has access rules.
  boolean guarded() {
    return guarded;
  }

  /// Returns the site that is served under every name, or the first site if there is none.
  Served main() {
    Sites sites = current;
    return sites.main == null ? sites.hosts.getFirst() : sites.main;
  }

  /// Replaces the sites, which takes effect with the next batch of requests. Any thread may call.
  void replace(Sites sites) {
    next = sites;
  }

  /// Switches to the replacement if there is one, and processes the file changes of all sites.
  void update() {
    Sites wanted = next;
    if (wanted != null && wanted != current) {
      Sites before = current;
      long[] sums = ended.clone();
      for (SiteService service : before.services()) {
        long[] counts = service.counts();
        Arrays.setAll(sums, i -> sums[i] + counts[i]);
        service.retire();
        retired.add(service);
      }
      retired.removeIf(SiteService::released);
      current = wanted;
      ended = sums;
      guarded = wanted.guarded();
      lastLength = 0;
      last = wanted.main;
    }
    List<Served> hosts = current.hosts;
    Object drained = null;
    for (int i = 0; i < hosts.size(); i++) {
      drained = drain(hosts.get(i).service, drained);
    }
    Served main = current.main;
    if (main != null) {
      drain(main.service, drained);
    }
  }

  /// Processes the file changes of a site.
  ///
  /// @param drained the queue that was drained last, since a single read is sufficient for all
  ///   sites that share a queue
  /// @return the queue that has been drained most recently
  private static @Nullable Object drain(@Nullable SiteService service, @Nullable Object drained) {
    Object queue = service == null ? null : service.queue();
    if (service != null && queue != null && queue == drained) {
      service.takeIn();
    } else if (service != null) {
      service.drain();
    }
    return queue == null ? drained : queue;
  }

  /// Discards all cached replies. See [SiteService#forget]. Any thread may call.
  void forget() {
    current.services().forEach(SiteService::forget);
  }

  void close() {
    current.services().forEach(SiteService::close);
    retired.forEach(SiteService::close);
    Sites unused = next;
    if (unused != null) {
      unused.services().forEach(SiteService::close);
    }
  }

  /// Publishes the counters of this loop, summed over all its sites.
  void publishTo(CounterPublisher into, String source) {
    if (current.services().isEmpty()) {
      return;
    }
    for (int i = 0; i < COUNTED; i++) {
      int index = i;
      into.counter(
          source + '/' + SiteService.COUNTERS.get(i),
          () -> ended[index] + sum(counts -> counts[index]));
    }
    for (int i = 0; i < SiteService.GAUGES.size(); i++) {
      int index = COUNTED + i;
      into.gauge(source + '/' + SiteService.GAUGES.get(i), () -> sum(counts -> counts[index]));
    }
  }

  private long sum(ToLongFunction<long[]> one) {
    long sum = 0;
    for (SiteService service : current.services()) {
      sum += one.applyAsLong(service.counts());
    }
    return sum;
  }
}
