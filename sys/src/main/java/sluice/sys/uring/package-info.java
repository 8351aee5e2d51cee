/// io_uring: a ring (`IoUring`), its queues, buffers and operations.
package sluice.sys.uring;
