package sluice.domain;

import java.util.List;

/// The state and the resource use of a domain.
///
/// @param state `alive`, `ending` while threads are left, or `ended`
/// @param threads the number of threads that run domain code
/// @param platformThreads the number of platform threads among `threads`. These are instances of a
///   subclass of `Thread`, threads with their own group or a large stack, workers of fork-join
///   pools, and threads created by `Thread.ofPlatform`. Their use is sampled, and weights do not
///   apply to them
/// @param cpuNanos the processor time of its threads, as of the last sample
/// @param allocatedBytes the number of bytes allocated by its threads, as of the last sample
/// @param isHeld true if the domain is over its budget and its threads wait at their gates
/// @param sockets the number of open sockets and selectors
/// @param memoryBytes the size of its memory objects and direct buffers
/// @param late the errands in disposable threads that have not completed within 100 ms, one word
///   for each: `interrupt`, `pool`, `socket`, `service`, `calls`, or a kind of object that the JDK
///   keeps of the domain: `bundles`, `beans`, `values`, `loggers`, `drivers`
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
