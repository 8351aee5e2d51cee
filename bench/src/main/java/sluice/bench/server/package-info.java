/// The servers that are measured, a small main class each.
package sluice.bench.server;
