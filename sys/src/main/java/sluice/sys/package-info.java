/// Provides system calls by subject: files, sockets, readiness, memory, threads, and the meaning of
/// errors (`SysException`). Rings are in `sluice.sys.uring`, and the entry to the kernel is in
/// `sluice.sys.call`.
package sluice.sys;
