/// Provides memory objects. The packages are listed from top to bottom, and each package uses only
/// the packages below it:
///
/// ```
/// memory        Memory: revocable references, and other kinds;
///               View, WritableView: for the time of a handler; Account         → block
/// ─────────────────────────────────────────────────────────────────────────────────────────────
/// block         Block: bytes with leases; Region: allocates them.
///               Exported to the trusted modules alone                          → nothing of memory
/// ```
package sluice.memory;
