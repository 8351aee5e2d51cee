/// Work of libraries that bench domain runs inside and outside of a domain. A class here does not
/// use Sluice: it is loaded only with its library.
package sluice.bench.kernel;
