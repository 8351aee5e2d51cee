/// How anything is measured: what is measured (`ServerSpec`, `Systems`, `Peers`), how it runs
/// (`Server`, `Cgroup`, `Harness`), what loads it (`LoadGenerator`, `NfsLoad`, `SlowClients`), and
/// what comes out (`Series`, `Timeline`, `PairedRatio`).
package sluice.bench.run;
