/// Memory objects. The packages, from the top; each names only those below it:
///
/// ```
/// memory        Memory: references that can be taken away, and the other kinds;
///               View, WritableView: for a handler's time; Account            → block
/// ─────────────────────────────────────────────────────────────────────────────────────────────
/// block         Block: bytes with leases; Region: where they come from.
///               Exported to the trusted modules alone                        → nothing of memory
/// ```
package sluice.memory;
