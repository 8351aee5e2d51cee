/// The addresses of clients and their limits: the limits ([ClientLimits]), the counts for each
/// address ([ClientTable]), and the address that a proxy sends ([ProxyHeader]).
@org.jspecify.annotations.NullMarked
package sluice.http.clients;
