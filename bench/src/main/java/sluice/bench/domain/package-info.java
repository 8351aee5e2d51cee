/// What domains and portals cost: `PortalBench`; `WorkMain` is the process that does one work.
package sluice.bench.domain;
