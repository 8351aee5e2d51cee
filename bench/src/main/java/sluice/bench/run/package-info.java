/// The measurement of systems: the systems (`ServerSpec`, `Systems`, `Peers`), how they run
/// (`Server`, `Cgroup`, `Harness`), their load (`LoadGenerator`, `NfsLoad`, `SlowClients`), and the
/// results (`Series`, `Timeline`, `PairedRatio`).
package sluice.bench.run;
