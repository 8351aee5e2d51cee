/// System calls by subject: files, sockets, readiness, memory, threads, and what an error means
/// (`SysException`). Rings are in `sluice.sys.uring`, the calls themselves in `sluice.sys.call`.
package sluice.sys;
