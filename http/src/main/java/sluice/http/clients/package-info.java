/// The addresses of clients and their limits. [ClientLimits] are the configured limits,
/// [ClientTable] counts connections and requests for each address, and [ProxyHeader] parses the
/// address that a proxy sends.
@org.jspecify.annotations.NullMarked
package sluice.http.clients;
