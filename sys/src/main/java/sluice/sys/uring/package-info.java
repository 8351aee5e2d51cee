/// Provides access to io_uring: a ring (`IoUring`) with its queues, buffers and operations.
package sluice.sys.uring;
