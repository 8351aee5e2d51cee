/// Work of libraries that bench domain runs in a domain and outside of it. A class here names
/// nothing of Sluice: it is loaded with its library alone.
package sluice.bench.kernel;
