package sluice.domain;

/// What a domain is and has used.
///
/// @param state `alive`, `ending` while threads are left, `ended`
/// @param threads that run domain code
/// @param cpuNanos processor time of its threads, as of the last sample
/// @param allocatedBytes by its threads, as of the last sample
/// @param isHeld whether its threads wait at their gates, being over budget
/// @param sockets that are open, with selectors
/// @param memoryBytes of its memory objects and direct buffers
public record DomainStat(
    String name,
    String state,
    int threads,
    long cpuNanos,
    long allocatedBytes,
    boolean isHeld,
    int sockets,
    long memoryBytes) {}
