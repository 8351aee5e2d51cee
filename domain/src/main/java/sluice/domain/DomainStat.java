package sluice.domain;

import java.util.List;

/// What a domain is and has used.
///
/// @param state `alive`, `ending` while threads are left, `ended`
/// @param threads that run domain code
/// @param platformThreads those of `threads` that are platform threads: of a subclass of `Thread`,
///   with a group or a large stack of their own, workers of fork-join pools, or made by
///   `Thread.ofPlatform`; their use is sampled, and processors are not shared with them by weight
/// @param cpuNanos processor time of its threads, as of the last sample
/// @param allocatedBytes by its threads, as of the last sample
/// @param isHeld whether its threads wait at their gates, being over budget
/// @param sockets that are open, with selectors
/// @param memoryBytes of its memory objects and direct buffers
/// @param late what is done in disposable threads and has not ended within 100 ms, a word for each:
///   `interrupt`, `pool`, `socket`, `service`, `calls`, or what the JDK keeps of the domain:
///   `bundles`, `beans`, `values`, `loggers`, `drivers`
public record DomainStat(
    String name,
    String state,
    int threads,
    int platformThreads,
    long cpuNanos,
    long allocatedBytes,
    boolean isHeld,
    int sockets,
    long memoryBytes,
    List<String> late) {}
